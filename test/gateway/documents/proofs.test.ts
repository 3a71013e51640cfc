import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import { snapshotProofSchema } from '../../../lib/history/schemas.ts';
import { CHECKPOINT_KEY } from '../../../snapshots/layout.ts';
import { parseCheckpoint } from '../../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../../snapshots/log/notes/note.ts';
import { brandIds, weeks, workspaceIds } from '../../snapshots/history.ts';
import { publishHistory, publishWeek } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { acme, publishBrands, withdraw } from '../../adapters/publish.ts';
import { pathsOf } from '../../adapters/read-over-http.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ask, bearer } from '../ask.ts';
import { logInMemory, setPlan, startListeningGateway } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';

const [workspaceId, otherId] = workspaceIds;
const path = `brands/${brandIds[0]}/visibility`;

let gateway: ListeningGateway;
let log: TestLog;
let key: string;
let ids: string[];

beforeEach(async () => {
  log = await logInMemory(await temporaryFolder());
  ids = await publishHistory(log);
  gateway = await startListeningGateway(systemClock, { log });
  onTestFinished(() => gateway.close());
  await setPlan(gateway.records, workspaceId, 'agency', 1_000_000);
  key = await gateway.createKey(workspaceId);
});

const get = (url: string, headers: string[] = []) =>
  ask(gateway.base, url, { headers: [...bearer(key), ...headers] });

async function proofOf(snapshotId: string) {
  const { headers, text } = await get(`/api/v1/snapshots/${snapshotId}/proof`);
  return { headers, proof: snapshotProofSchema.parse((JSON.parse(text) as { data: unknown }).data) };
}

test('the proof of a snapshot is complete, names no other customer, and follows the checkpoint with its cosignatures', async () => {
  const { headers, proof } = await proofOf(ids[1]!);
  expect(JSON.stringify(proof)).not.toContain(otherId);
  expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', 'x-snapshot-id': ids[1] });
  const { bytes, version } = (await log.store.get(CHECKPOINT_KEY))!;
  expect(proof.checkpoint).toBe(bytes.toString());
  expect(proof.inclusionProof.endsWith(`\n\n${proof.checkpoint}`)).toBe(true);
  expect(JSON.parse(proof.entry)).toMatchObject({
    kind: 'published',
    at: `${weeks[1]}T07:00:00.000Z`,
    sequence: 2,
    manifestSha256: sha256(proof.manifest),
  });
  const known = ['If-None-Match', headers.etag!];
  expect(await get(`/api/v1/snapshots/${ids[1]}/proof`, known)).toMatchObject({ status: 304, text: '' });
  const { note } = parseCheckpoint(bytes, 'the checkpoint');
  const line = { keyName: 'witness.example', keyId: '0badcafe', bytes: Buffer.alloc(72, 1) };
  const cosigned = formatNote({ ...note, signatures: [...note.signatures, line] });
  await log.store.swap(CHECKPOINT_KEY, Buffer.from(cosigned), version);
  await gateway.documents.refresh();
  const later = await proofOf(ids[1]!);
  expect(later.proof.checkpoint).toBe(cosigned);
  expect(later.proof.inclusionProof.endsWith(`\n\n${cosigned}`)).toBe(true);
  expect(later.headers.etag).not.toBe(headers.etag);
});

async function publish(name: string, asOf: string): Promise<string> {
  const id = await publishBrands(log, workspaceId, [{ ...acme, name }], asOf, { isWhole: true });
  await gateway.documents.refresh();
  return id;
}

test('every document of a past week is what was served when it was the current one', async () => {
  const id = await publish('Acme', '2026-11-23T06:00:00.000Z');
  const paths = pathsOf(acme.id).map((each) => each.path);
  const served = await Promise.all(paths.map(async (current) => await get(current)));
  await publish('Acme Ltd', '2026-11-30T06:00:00.000Z');
  for (const [index, current] of paths.entries()) {
    expect((await get(current)).headers['x-snapshot-id']).not.toBe(id);
    const past = await get(current.replace('/api/v1', `/api/v1/snapshots/${id}`));
    const { text, headers } = served[index]!;
    expect([current, past.status, past.text]).toEqual([current, 200, text]);
    for (const name of ['etag', 'last-modified', 'x-snapshot-id'])
      expect(past.headers[name]).toBe(headers[name]);
    expect(past.headers['cache-control']).toBe('private, max-age=31536000, immutable');
  }
});

async function answerOf(url: string) {
  const { status, headers, text } = await get(url);
  const { 'x-request-id': _id, date: _date, ...others } = headers;
  return { status, headers: others, text };
}

test('everything that does not exist in the history is the same 404', async () => {
  const theirs = await publishWeek(log, otherId, '2026-11-23');
  await withdraw(log, workspaceId, [{ snapshotId: ids[0]!, reason: 'removed' }]);
  await gateway.documents.refresh();
  const usual = await answerOf(`/api/v1/brands/${otherId}/visibility`);
  expect(usual.status).toBe(404);
  for (const id of ['20200101T000000.000Z-0123456789abcdef', theirs, ids[0]!, '%00', 'x'.repeat(300)])
    for (const ending of ['brands', path, 'proof'])
      expect([id, await answerOf(`/api/v1/snapshots/${id}/${ending}`)]).toEqual([id, usual]);
  for (const document of ['brands/nobody/visibility', `brands/${otherId}/visibility`, 'tables/timeline'])
    expect(await answerOf(`/api/v1/snapshots/${ids[3]}/${document}`)).toEqual(usual);
});
