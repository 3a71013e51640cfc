/** @module-tag black-box */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acme, publishBrands, testLog } from '../adapters/publish.ts';
import { makeRecords, settingsOf, workspaceId } from '../adapters/read-over-http.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startGatewayProcess } from '../support/program.ts';

test('a gateway that a defect ends says so in its log', async () => {
  const folder = await temporaryFolder();
  const log = await testLog(folder);
  await publishBrands(log, workspaceId, [acme]);
  await makeRecords(folder);
  const defect = join(folder, 'defect.mjs');
  await writeFile(
    defect,
    "process.on('SIGUSR2', () => setImmediate(() => { throw new Error('a defect'); }));",
  );
  const gateway = await startGatewayProcess({
    ...settingsOf(log),
    RECORDS_URL: `sqlite:${folder}/records.db`,
    HOST: '127.0.0.1',
    NODE_OPTIONS: `--import=${defect}`,
  });
  gateway.child.kill('SIGUSR2');
  expect(await gateway.ended).toBe(1);
  expect(JSON.parse(gateway.log.at(-1)!)).toMatchObject({
    level: 50,
    msg: 'ended by an uncaught error',
    reason: 'a defect',
    stack: expect.stringContaining('defect.mjs') as string,
  });
});
