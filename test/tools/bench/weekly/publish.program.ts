import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseStoreLocation } from '../../../../lib/config.ts';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';
import { openStore } from '../../../../lib/store/open.ts';
import { WORKSPACES } from '../../../../snapshots/layout.ts';
import { publishSnapshot } from '../../../../snapshots/publish/publish.ts';
import { readInputs, readManifest, readPointer } from '../../../../snapshots/read.ts';

/** `FROM TO`: publishes every current snapshot of one store to another, and prints the seconds without reading. */
const [from, to] = process.argv.slice(2) as [string, string];
const source = directoryStore(from);
const target = openStore(parseStoreLocation(to)!);
let seconds = 0;
for (const workspaceId of await source.folders(WORKSPACES)) {
  const pointer = (await readPointer(source, workspaceId))!;
  const manifest = await readManifest(source, workspaceId, pointer);
  const folder = join(from, WORKSPACES, workspaceId, 'snapshots', pointer.snapshotId);
  const documents = await Promise.all(
    manifest.documents.map(async ({ path }) => ({ path, bytes: await readFile(join(folder, path)) })),
  );
  const started = performance.now();
  await publishSnapshot(target, { ...manifest, inputs: await readInputs(source, manifest), documents });
  seconds += (performance.now() - started) / 1000;
}
target.close();
process.stdout.write(`${seconds}\n`);
