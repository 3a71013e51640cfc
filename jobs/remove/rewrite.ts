import { rowsOf } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { putRejects, writeParquet } from '../ingest/write.ts';
import type { Target } from '../ingest/write.ts';
import { trackingKinds } from '../lake/layout.ts';
import type { Removal, Replacement } from '../lake/ledger.ts';
import { parquetFiles } from '../literals.ts';
import { makeTableOf } from '../relations.ts';
import { goes, withLocal } from './affected.ts';
import type { Affected, AffectedObjects } from './affected.ts';
import { linesWithout } from './rejects.ts';

/** True if nothing replaces an object. Tracking without records stays: it replaces what was tracked before. */
export function isDropped({ kind, object, removed }: Affected): boolean {
  return removed === object.rows && !trackingKinds.some((each) => each === kind);
}

/** Writes each object again without the rows that go, under another name. Needs the tables of {@link findAffected}. */
export async function rewriteObjects(
  target: Target,
  { affected, ids }: AffectedObjects,
): Promise<Removal['replaced']> {
  const replaced: Removal['replaced'] = [];
  for (const each of affected) {
    if (each.kind === 'run-brands') await makeReplacedObjects(target.connection, replaced);
    const by = isDropped(each)
      ? null
      : await withLocal(target.lake, each.object, async (path) =>
          each.kind === 'rejects'
            ? await putRejects(target, linesWithout(path, ids))
            : await rewriteParquet(target, { ...each, kind: each.kind }, path),
        );
    replaced.push({ key: each.object.key, by });
  }
  return replaced;
}

async function makeReplacedObjects(connection: Connection, replaced: Removal['replaced']): Promise<void> {
  const rows = replaced.flatMap(({ key, by }) => (by === null ? [] : [{ object: key, by_object: by.key }]));
  await makeTableOf(connection, 'replaced_object', { object: 'varchar', by_object: 'varchar' }, rows);
}

async function rewriteParquet(
  target: Target,
  { kind, keyOf }: Affected & { kind: keyof typeof goes },
  path: string,
): Promise<Replacement> {
  // In the order of before: equal records of the others must not change places.
  const kept = `${parquetFiles([path], 'file_row_number = true')} where (${goes[kind]}) is not true`;
  const select =
    kind === 'run-brands'
      ? `select coalesce(by_object, object) as object, brand_id, runs
         from (from ${kept}) left join replaced_object using (object) order by object, brand_id`
      : `select * exclude (file_row_number) from ${kept} order by file_row_number`;
  const object = await writeParquet(target, select, keyOf);
  if (kind !== 'runs') return object;
  const [times] = await rowsOf<{ ranFrom: string; ranTo: string }>(
    target.connection,
    `select epoch_us(min(ran_at))::varchar as "ranFrom", epoch_us(max(ran_at))::varchar as "ranTo" from ${kept}`,
  );
  return { ...object, ...times };
}
