import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes } from '../disk.ts';
import { ok, skipped, warning } from '../finding.ts';
import type { Finding } from '../finding.ts';

/**
 * The drops that infra/systemd/ingest-incoming has renamed: those that were refused, and how much those take that were
 * ingested. And the folders that it will never ingest, because their names are no dates.
 * @param hasCopy whether a copy to `BACKUP_URL` has ever succeeded: only such a copy removes drops
 */
export async function examineDrops(incoming: string, hasCopy: boolean, now: number): Promise<Finding[]> {
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
  const ignored = await oldFolders(
    incoming,
    names.filter((name) => !A_DROP.test(name)),
    now - DAY_MS,
  );
  return [
    judgeRefused(refused),
    judgeIgnored(ignored),
    ok('drops: ingested', `${ingested.length} take ${bytes}; ${until}`),
  ];
}

const A_DROP = /^\d{4}-\d\d-\d\d(?:$|\.(?:failed|ingested)\.)/;
/** Meanwhile a drop may still be on its way under another name. */
const DAY_MS = 86_400_000;

async function oldFolders(incoming: string, names: readonly string[], before: number): Promise<string[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      const entry = await stat(join(incoming, name)).catch(() => null);
      return entry?.isDirectory() === true && entry.mtimeMs < before ? [name] : [];
    }),
  );
  return found.flat();
}

function judgeIgnored(ignored: readonly string[]): Finding {
  const subject = 'drops: ignored';
  if (ignored.length === 0) return ok(subject, 'none');
  return warning(
    subject,
    `${ignored.toSorted().join(', ')}: no date, so nothing ingests it`,
    'rename each to its tracking date, such as 2026-11-16, or delete it',
  );
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
  // A file may have been removed meanwhile.
  const stats = await Promise.allSettled(
    files.map(async (file) => await stat(join(file.parentPath, file.name))),
  );
  const sizes = stats.flatMap((each) => (each.status === 'fulfilled' ? [each.value.size] : []));
  return sizes.reduce((sum, each) => sum + each, 0);
}
