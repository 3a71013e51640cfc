import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes } from '../disk.ts';
import { ok, skipped, warning } from '../finding.ts';
import type { Finding } from '../finding.ts';

/**
 * The drops that infra/systemd/ingest-incoming has renamed: those that were refused, and how much those take that were
 * ingested.
 * @param hasCopy whether a copy to `BACKUP_URL` has ever succeeded: only such a copy removes drops
 */
export async function examineDrops(incoming: string, hasCopy: boolean): Promise<Finding[]> {
  const names = await readdir(incoming).catch(() => null);
  if (names === null) return [skipped('drops', `${incoming} cannot be read`)];
  const [refused, ingested] = ['failed', 'ingested'].map((outcome) =>
    names.filter((name) => name.startsWith(`${outcome}.`, '2026-11-16.'.length)),
  ) as [string[], string[]];
  const sizes = await Promise.all(ingested.map(async (name) => await bytesBelow(join(incoming, name))));
  const bytes = formatBytes(sizes.reduce((sum, each) => sum + each, 0));
  const until = hasCopy
    ? 'a copy that succeeds removes them after KEEP_DROPS_DAYS'
    : 'they stay until a copy to BACKUP_URL succeeds';
  return [judgeRefused(refused), ok('drops: ingested', `${ingested.length} take ${bytes}; ${until}`)];
}

function judgeRefused(refused: readonly string[]): Finding {
  const subject = 'drops: refused';
  if (refused.length === 0) return ok(subject, 'none');
  return warning(
    subject,
    `${refused.length}, the newest is ${refused.toSorted().at(-1)!}`,
    'correct each and rename it back to its date, or delete it (docs/runbook.md, SightlineUnitFailed)',
  );
}

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => await sizeOf(join(parentPath, name))),
  );
  return sizes.reduce((sum, each) => sum + each, 0);
}

/** 0 if it was removed meanwhile. */
async function sizeOf(path: string): Promise<number> {
  return await stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
