import { engineSlugs, sourceTypes } from '../../../lib/methodology/constants.ts';
import { mapConcurrently } from '../../concurrency.ts';
import { columnsOf, execute, textList } from '../../duckdb.ts';
import type { Connection, Database, Parameters } from '../../duckdb.ts';
import { Failure, reasonOf } from '../../../lib/failure.ts';
import { quoted } from '../../literals.ts';
import { countRows, runScript, sqlNextTo } from '../../relations.ts';
import type { DropFile } from '../drop.ts';
import { runFields, trackingFields } from '../read/fields.ts';
import type { Fields } from '../read/fields.ts';
import { REJECTS_KEPT } from '../report.ts';
import { partsOf } from '../read/parts.ts';
import type { Part } from '../read/parts.ts';

/** Parts that are checked at once: one for each of two cores, each up to 16 MiB of text. */
const AT_ONCE = 2;

/** Checks every record of the files: valid ones go to `staged_KIND`, the others to `reject`. */
export async function stageFiles(
  database: Database,
  files: readonly DropFile[],
  onBytes: (bytes: number) => void,
): Promise<void> {
  for (const file of files) {
    const { kind } = file;
    const parameters = {
      file: file.file,
      kind,
      fields: JSON.stringify(fieldsOf(file)),
      engines: textList(engineSlugs),
      source_types: textList(sourceTypes),
    };
    const sql = await sqlNextTo(import.meta, kind === 'runs' ? 'runs' : 'tracking');
    const check = `create or replace temp table checked as ${sql}`;
    const keepOf = (columns: Iterable<string>) => `
      insert into staged_${kind} by name
        select $file as file, line, ${[...columns].map(quoted).join(', ')} from checked where reason is null;
      create or replace temp table refusing as
        select line, reason, record, null::varchar as record_base64 from checked where reason is not null
        union all
        select
          unnest($undecodable)::bigint, 'not UTF-8', unnest($undecodable_text), unnest($undecodable_base64);`;
    await eachPart(database, file, async (connection, part) => {
      await part.load(connection);
      await execute(connection, check, { ...parameters, may_be_loose: part.mayBeLoose });
      const columns = await columnsOf(connection, `from record_${kind}`);
      await execute(connection, keepOf(columns.keys()), { ...parameters, ...undecodableOf(part) });
      await refuse(connection, file, part);
      onBytes(part.bytes);
    });
  }
}

/** All numbers, but only the texts that may be kept. */
function undecodableOf({ undecodable }: Part): Parameters {
  const kept = undecodable.slice(0, REJECTS_KEPT);
  return {
    undecodable: textList(undecodable.map(({ line }) => String(line))),
    undecodable_text: textList(kept.map(({ bytes }) => bytes.toString('utf8'))),
    undecodable_base64: textList(kept.map(({ bytes }) => bytes.toString('base64'))),
  };
}

/** Refuses the records of the table `refusing`, which are of one part of a file. */
export async function refuse(connection: Connection, { file }: DropFile, { firstLine }: Part): Promise<void> {
  if ((await countRows(connection, 'refusing')) === 0) return;
  const parameters = { file, first_line: BigInt(firstLine), kept: BigInt(REJECTS_KEPT) };
  await runScript(connection, import.meta, 'refuse', parameters);
}

function fieldsOf({ kind }: DropFile): Fields {
  return kind === 'runs' ? runFields : trackingFields;
}

/** Runs `work` on the parts of a file, a few at once, each with a connection (and temporary tables) of its own. */
export async function eachPart(
  database: Database,
  file: DropFile,
  work: (connection: Connection, part: Part) => Promise<void>,
): Promise<void> {
  const reader = await database.connect();
  const idle = await Promise.all(Array.from({ length: AT_ONCE }, () => database.connect()));
  const all = [reader, ...idle];
  try {
    await mapConcurrently(
      partsOf(file, fieldsOf(file), reader),
      async (part) => {
        const connection = idle.pop()!;
        await work(connection, part).catch((error: unknown) => explain(file, part, error));
        idle.push(connection);
      },
      { limit: AT_ONCE },
    );
  } finally {
    for (const connection of all) connection.closeSync();
  }
}

/** Names the file and line, which DuckDB's message does not; its further lines of advice are dropped. */
function explain(file: DropFile, part: Part, error: unknown): never {
  const [reason] = reasonOf(error).split('\n');
  if (!reason!.startsWith('Out of Memory')) throw error;
  throw new Failure(`${file.path} cannot be checked from line ${part.firstLine} on: ${reason}`, {
    cause: error,
  });
}
