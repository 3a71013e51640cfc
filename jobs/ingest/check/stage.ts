import { engineSlugs, sourceTypes } from '../../../lib/methodology/constants.ts';
import { mapConcurrently } from '../../concurrency.ts';
import { execute, textList } from '../../duckdb.ts';
import type { Connection, Database } from '../../duckdb.ts';
import { Failure, reasonOf } from '../../../lib/failure.ts';
import { sqlNextTo } from '../../relations.ts';
import type { DropFile } from '../drop.ts';
import { runFields, trackingFields } from '../read/fields.ts';
import type { Fields } from '../read/fields.ts';
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
    const keep = `
      set variable staged_columns = (select list(column_name) from (describe staged_${kind}));
      insert into staged_${kind} by name
        select columns(getvariable('staged_columns'))
        from (select $file as file, * from checked where reason is null);
      insert into reject by name
        select $file as file, line, reason, record from checked where reason is not null;`;
    await eachPart(database, file, async (connection, part) => {
      await part.load(connection);
      await execute(connection, check, { ...parameters, may_be_loose: part.mayBeLoose });
      await execute(connection, keep, parameters);
      await refuseUndecodable(connection, file, part);
      onBytes(part.bytes);
    });
  }
}

const INSERT_UNDECODABLE = `
  insert into reject (file, line, reason, record, record_base64) values ($file, $line, $reason, $record, $base64)`;

async function refuseUndecodable(connection: Connection, file: DropFile, part: Part): Promise<void> {
  for (const { line, bytes } of part.undecodable) {
    await execute(connection, INSERT_UNDECODABLE, {
      file: file.file,
      line: BigInt(line),
      reason: 'not UTF-8',
      record: bytes.toString('utf8'),
      base64: bytes.toString('base64'),
    });
  }
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
