import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { execute, openDatabase } from '../../../jobs/duckdb.ts';
import { makeTables } from '../../../jobs/ingest/tables.ts';
import { writeRejects } from '../../../jobs/ingest/write.ts';
import { Failure } from '../../../lib/failure.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { temporaryFolder } from '../../support/folder.ts';

test('a disk that is full while rejects are written is one clear failure', async () => {
  const scratch = await temporaryFolder();
  await symlink('/dev/full', join(scratch, 'rejects.ndjson'));
  const database = await openDatabase({ scratch });
  onTestFinished(() => database.close());
  const connection = await database.connect();
  await makeTables(connection);
  await execute(
    connection,
    `insert into reject by name
     select 'runs.ndjson' as file, n as line, 'not a JSON object' as reason, repeat('x', 100) as record
     from range(100000) as numbers (n)`,
  );
  const written = writeRejects({ connection, lake: directoryStore(join(scratch, 'lake')), scratch });
  await expect(written).rejects.toThrow(/rejects.ndjson cannot be written: ENOSPC/);
  await expect(written).rejects.toBeInstanceOf(Failure);
});
