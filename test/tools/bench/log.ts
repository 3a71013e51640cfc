import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import { systemClock } from '../../../lib/clock.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { USUAL_ORIGIN } from '../../../snapshots/log/identity.ts';
import type { CommitParts } from '../../../snapshots/log/write/commit.ts';
import { openPublisher } from '../../../snapshots/publish/publisher.ts';
import type { SnapshotContent } from '../../../snapshots/publish/write-snapshot.ts';
import { generateKeyPair, readSigner } from '../../../snapshots/signing.ts';

/** A log of a benchmark, and the file with the key that its readers trust. */
export interface BenchLog extends CommitParts {
  publicKeyFile: string;
}

/** A new log with keys in `folder`. The store is the folder `folder/store`, unless another is given. */
export async function benchLog(
  folder: string,
  store: ObjectStore = directoryStore(join(folder, 'store')),
  lake: ObjectStore = directoryStore(join(folder, 'log-lake')),
): Promise<BenchLog> {
  await mkdir(folder, { recursive: true });
  const { privatePem, publicPem } = generateKeyPair();
  const privateKeyFile = join(folder, 'bench.private.pem');
  const publicKeyFile = join(folder, 'bench.public.pem');
  await writeFile(privateKeyFile, privatePem);
  await writeFile(publicKeyFile, publicPem);
  const signer = await readSigner(privateKeyFile);
  return { store, lake, origin: USUAL_ORIGIN, signer, clock: systemClock, publicKeyFile };
}

/** Publishes snapshots in as many commits as it takes. @returns their ids @throws the first error */
export async function publishAll(
  parts: CommitParts,
  contents: Iterable<SnapshotContent> | AsyncIterable<SnapshotContent>,
): Promise<string[]> {
  const publisher = await openPublisher(parts);
  await pMap(contents, async (content) => await publisher.add(content, () => null), { concurrency: 16 });
  return (await publisher.finish()).map(({ outcome }) => {
    if ('error' in outcome) throw outcome.error;
    if (!('published' in outcome)) throw new Error('it was not published');
    return outcome.published.snapshotId;
  });
}
