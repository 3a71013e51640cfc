import { createPrivateKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listOf, histories } from '../../gateway/documents/past-snapshots.ts';
import { readView } from '../../gateway/documents/snapshot-view.ts';
import { routes } from '../../lib/documents/routes.ts';
import { sha256 } from '../../lib/hash.ts';
import type { SnapshotProof, Snapshots } from '../../lib/history/schemas.ts';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { BRANDS_PATH, documentPath } from '../../snapshots/layout.ts';
import { appendToLog } from '../../snapshots/log/append.ts';
import { publishedHistories } from '../../snapshots/log/histories.ts';
import { readSnapshotProof } from '../../snapshots/proof.ts';
import { publishSnapshot } from '../../snapshots/publish/publish.ts';
import type { PublishedDocument } from '../../snapshots/publish/publish.ts';
import { readSigner } from '../../snapshots/signing.ts';
import type { Signer } from '../../snapshots/signing.ts';
import type { Tour } from './tour.ts';

const WORKSPACE = '11111111-1111-4111-8111-111111111111';
const WEEKS = ['2026-11-09', '2026-11-16'];

/**
 * The examples of the history: two signed weeks in a log, as the gateway lists and proves them. Each snapshot has two
 * documents of the tour, so that its manifest is short. Key and clock are constants: the same tour gives the same bytes.
 */
export async function historyExamples(tour: Tour): Promise<{ snapshots: Snapshots; proof: SnapshotProof }> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-examples-'));
  try {
    const signer = await exampleSigner(folder);
    const store = directoryStore(join(folder, 'store'));
    const documents = await tourDocuments(tour);
    for (const week of WEEKS) await publishWeek(store, signer, week, documents);
    const { trust } = signer;
    await appendToLog({
      store,
      lake: directoryStore(join(folder, 'lake')),
      origin: 'sightline.example/log',
      signer,
      trust,
      histories: () => publishedHistories(store, trust),
    });
    const history = await histories(store, () => 0).open(await readView(store, WORKSPACE, trust));
    const { data: snapshots } = JSON.parse(listOf(history).toString()) as { data: Snapshots };
    const newest = history.snapshots.get(snapshots[0]!.id)!;
    return { snapshots, proof: await readSnapshotProof(store, WORKSPACE, newest, trust) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tourDocuments({ url, key }: Tour): Promise<PublishedDocument[]> {
  const headers = { authorization: `Bearer ${key}` };
  const get = async (path: string) =>
    Buffer.from(await (await fetch(`${url}${path}`, { headers })).arrayBuffer());
  const brands = await get(routes.listBrands.path);
  const [{ id }] = (JSON.parse(brands.toString()) as { data: [{ id: string }] }).data;
  const prompts = await get(routes.listPrompts.path.replace('{brandId}', id));
  return [
    { path: BRANDS_PATH, bytes: brands },
    { path: documentPath(id, 'prompts'), bytes: prompts },
  ];
}

async function publishWeek(
  store: ObjectStore,
  signer: Signer,
  week: string,
  documents: readonly PublishedDocument[],
): Promise<void> {
  const publication = {
    workspaceId: WORKSPACE,
    workspaceName: 'Agency',
    asOf: `${week}T06:00:00.000Z`,
    methodologyVersion: '1.0',
    codeVersion: '0.1.0',
    duckdbVersion: '1.5.5',
    inputs: [],
    documents,
  };
  const clock = { now: () => Date.parse(`${week}T06:04:30Z`) };
  await publishSnapshot(store, publication, { signer, trust: signer.trust, clock });
}

/** From a constant, so it protects nothing: RFC 8410 has 16 bytes before the 32 of an Ed25519 key. */
async function exampleSigner(folder: string): Promise<Signer> {
  const der = Buffer.from(`302e020100300506032b657004220420${sha256('an example')}`, 'hex');
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const file = join(folder, 'key.pem');
  await writeFile(file, key.export({ type: 'pkcs8', format: 'pem' }));
  return await readSigner(file);
}
