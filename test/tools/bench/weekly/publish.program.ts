import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseStoreLocation } from '../../../../lib/config.ts';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';
import { openStore } from '../../../../lib/store/open.ts';
import { snapshotPrefix } from '../../../../snapshots/layout.ts';
import { readHistory, readLog } from '../../../../snapshots/log/follow.ts';
import { currentOf } from '../../../../snapshots/log/history.ts';
import { openPublisher } from '../../../../snapshots/publish/publisher.ts';
import { readInputs, readManifest } from '../../../../snapshots/read.ts';
import { readTrust } from '../../../../snapshots/signing.ts';
import { benchLog } from '../log.ts';

/** `FROM TO KEY SCRATCH`: publishes every current snapshot of a store to another, and prints the seconds without reading. */
const [from, to, key, scratch] = process.argv.slice(2) as [string, string, string, string];
const source = directoryStore(from);
const target = openStore(parseStoreLocation(to)!);
const log = (await readLog(source, { origin: null, trust: await readTrust([key]) }))!;
const publisher = await openPublisher(await benchLog(scratch, target));
let seconds = 0;
const measured = async (work: () => Promise<unknown>) => {
  const started = performance.now();
  await work();
  seconds += (performance.now() - started) / 1000;
};
for (const workspaceId of log.heads.keys()) {
  const current = currentOf((await readHistory(source, log, workspaceId))!)!;
  const manifest = await readManifest(source, workspaceId, current);
  const folder = join(from, snapshotPrefix(workspaceId, current.snapshotId));
  const documents = await Promise.all(
    manifest.documents.map(async ({ path }) => ({ path, bytes: await readFile(join(folder, path)) })),
  );
  const inputs = await readInputs(source, manifest);
  await measured(async () => await publisher.add({ ...manifest, inputs, documents }, () => null));
}
await measured(async () => await publisher.finish());
target.close();
process.stdout.write(`${seconds}\n`);
