import type { RecordsLocation } from '../../../lib/config.ts';
import { Failure } from '../../../lib/failure.ts';
import type { CopySide, Content } from './content.ts';
import { postgresSide } from './postgres.ts';
import { sqliteSide } from './sqlite.ts';

export interface CopyReport {
  from: string;
  to: string;
  /** False if the target contained the same records before. */
  isNew: boolean;
  /** Rows of either side, counted after the copy. */
  counts: { what: string; source: number; target: number }[];
}

/** The time limit of each statement; a hundred thousand keys take seconds. */
const MAX_WAIT_MS = 60_000;

/**
 * Copies all records, including ids, to an empty database: one consistent read of the source, which gateways may still
 * use, and one transaction at the target.
 * @throws Failure if both are the same database, the source has another schema version, or the target has other
 * records.
 */
export async function copyRecords(from: RecordsLocation, to: RecordsLocation): Promise<CopyReport> {
  const [source, target] = [sideOf(from), sideOf(to)];
  if (from.kind === to.kind && (await source.identity()) === (await target.identity())) {
    throw new Failure(`${source.name} is source and target of the copy`);
  }
  const read = await source.read();
  const { content: written, isNew } = await target.fill(read);
  return { from: source.name, to: target.name, isNew, counts: countsOf(read, written) };
}

function sideOf(location: RecordsLocation): CopySide {
  return location.kind === 'sqlite'
    ? sqliteSide(location.path, MAX_WAIT_MS)
    : postgresSide(location.url, MAX_WAIT_MS);
}

function countsOf(source: Content, target: Content): CopyReport['counts'] {
  const count = (what: string, of: (content: Content) => number) => ({
    what,
    source: of(source),
    target: of(target),
  });
  return [
    count('plans', ({ plans }) => plans.length),
    count('workspaces', ({ workspaces }) => workspaces.length),
    count('keys', ({ keys }) => keys.length),
    count('revoked keys', ({ keys }) => keys.filter(({ revokedAt }) => revokedAt !== null).length),
    count('keys used so far', ({ keys }) => keys.filter(({ lastUsedAt }) => lastUsedAt !== null).length),
  ];
}
