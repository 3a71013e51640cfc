import { createPrivateKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listOf } from '../../gateway/documents/views.ts';
import { routes } from '../../lib/documents/routes.ts';
import { sha256 } from '../../lib/hash.ts';
import type { SnapshotProof, Snapshots } from '../../lib/history/schemas.ts';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import { BRANDS_PATH, documentPath } from '../../snapshots/layout.ts';
import { readHistory, readLog } from '../../snapshots/log/follow.ts';
import { currentOf } from '../../snapshots/log/history.ts';
import { proveSnapshot } from '../../snapshots/log/prove.ts';
import type { CommitParts } from '../../snapshots/log/write/commit.ts';
import type { PublishedDocument } from '../../snapshots/publish/write-snapshot.ts';
import { readSigner } from '../../snapshots/signing.ts';
import type { Signer } from '../../snapshots/signing.ts';
import { publishSnapshot } from '../snapshots/publish.ts';
import type { Tour } from './tour.ts';

const WORKSPACE = '11111111-1111-4111-8111-111111111111';
const WEEKS = ['2026-11-09', '2026-11-16'];

/**
 * The examples of the history: two weeks in a log, as the gateway lists and proves them. Each snapshot has two documents
 * of the tour, so that its manifest is short. Key and clock are constants: the same tour gives the same bytes.
 */
export async function historyExamples(tour: Tour): Promise<{ snapshots: Snapshots; proof: SnapshotProof }> {
  const documents = await tourDocuments(tour);
  const folder = await mkdtemp(join(tmpdir(), 'sightline-examples-'));
  try {
    const signer = await exampleSigner(folder);
    const store = directoryStore(join(folder, 'store'));
    const parts = {
      store,
      lake: directoryStore(join(folder, 'lake')),
      origin: 'sightline.example/log',
      signer,
    };
    for (const week of WEEKS) await publishWeek(parts, week, documents);
    const log = (await readLog(store, { origin: parts.origin, trust: signer.trust }))!;
    const history = (await readHistory(store, log, WORKSPACE))!;
    const proof = await proveSnapshot(store, log.checkpoint, WORKSPACE, currentOf(history)!);
    return { snapshots: listOf(history), proof };
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
  parts: Omit<CommitParts, 'clock'>,
  week: string,
  documents: readonly PublishedDocument[],
): Promise<void> {
  const content = {
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
  await publishSnapshot({ ...parts, clock }, content);
}

/** From a constant, so it protects nothing: RFC 8410 has 16 bytes before the 32 of an Ed25519 key. */
async function exampleSigner(folder: string): Promise<Signer> {
  const der = Buffer.from(`302e020100300506032b657004220420${sha256('an example')}`, 'hex');
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const file = join(folder, 'key.pem');
  await writeFile(file, key.export({ type: 'pkcs8', format: 'pem' }));
  return await readSigner(file);
}
