import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../lib/clock.ts';
import { operationIds, routes } from '../../../lib/documents/routes.ts';
import { sha256 } from '../../../lib/hash.ts';
import { snapshotProofSchema } from '../../../lib/history/schemas.ts';
import { CHECKPOINT_KEY } from '../../../snapshots/layout.ts';
import { parseCheckpoint } from '../../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../../snapshots/log/notes/note.ts';
import { brandIds, weeks, workspaceIds } from '../../snapshots/history.ts';
import { publishHistory, publishWeek } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ask, bearer } from '../ask.ts';
import { logInMemory, setPlan, startListeningGateway } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';
import { withdraw } from './document-service.ts';

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

describe('the proof of a snapshot', () => {
  test('is complete at once: manifest, entry and the proof of the entry, and names no other customer', async () => {
    const { headers, proof } = await proofOf(ids[1]!);
    expect(JSON.stringify(proof)).not.toContain(otherId);
    expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', 'x-snapshot-id': ids[1] });
    expect(proof.checkpoint).toBe((await log.store.get(CHECKPOINT_KEY))!.bytes.toString());
    expect(proof.inclusionProof.endsWith(`\n\n${proof.checkpoint}`)).toBe(true);
    expect(JSON.parse(proof.entry)).toMatchObject({
      kind: 'published',
      at: `${weeks[1]}T07:00:00.000Z`,
      sequence: 2,
      manifestSha256: sha256(proof.manifest),
    });
    const again = await get(`/api/v1/snapshots/${ids[1]}/proof`, ['If-None-Match', headers.etag!]);
    expect([again.status, again.text]).toEqual([304, '']);
  });

  test('has the cosignatures of the checkpoint as soon as the gateway has seen them', async () => {
    const before = await proofOf(ids[1]!);
    const { bytes, version } = (await log.store.get(CHECKPOINT_KEY))!;
    const { note } = parseCheckpoint(bytes, 'the checkpoint');
    const line = { keyName: 'witness.example', keyId: '0badcafe', bytes: Buffer.alloc(72, 1) };
    const cosigned = formatNote({ ...note, signatures: [...note.signatures, line] });
    await log.store.swap(CHECKPOINT_KEY, Buffer.from(cosigned), version);
    await gateway.documents.refresh();
    const { headers, proof } = await proofOf(ids[1]!);
    expect(proof.checkpoint).toBe(cosigned);
    expect(proof.inclusionProof.endsWith(`\n\n${cosigned}`)).toBe(true);
    expect(headers.etag).not.toBe(before.headers.etag);
  });
});

test('every document of a past week is what was served when it was the current one', async () => {
  const paths = operationIds.map((id) => routes[id].path.replace('{brandId}', brandIds[0]));
  const served = await Promise.all(paths.map(async (current) => await get(current)));
  await publishWeek(log, workspaceId, '2026-11-23');
  await gateway.documents.refresh();
  for (const [index, current] of paths.entries()) {
    expect((await get(current)).headers['x-snapshot-id']).not.toBe(ids.at(-1));
    const past = await get(current.replace('/api/v1', `/api/v1/snapshots/${ids.at(-1)}`));
    const { status, text, headers } = served[index]!;
    expect([current, past.status, past.text]).toEqual([current, status, text]);
    for (const name of ['etag', 'last-modified', 'x-snapshot-id'])
      expect(past.headers[name]).toBe(headers[name]);
  }
});

describe('the endpoints of the history', () => {
  const endings = ['brands', path, 'proof'];

  test('return identical 404 responses for everything that does not exist', async () => {
    const theirs = await publishWeek(log, otherId, '2026-11-23');
    await withdraw(log, workspaceId, ids[0]!, 'removed');
    await gateway.documents.refresh();
    const wrong = [
      '20200101T000000.000Z-0123456789abcdef',
      theirs,
      ids[0]!,
      'nonsense',
      '%00',
      'x'.repeat(300),
    ];
    const usual = await get(`/api/v1/brands/${otherId}/visibility`);
    expect(usual.status).toBe(404);
    const withoutId = ({
      headers: { 'x-request-id': _id, date: _date, ...headers },
      text,
    }: typeof usual) => ({
      headers,
      text,
    });
    for (const id of wrong)
      for (const ending of endings) {
        const answer = await get(`/api/v1/snapshots/${id}/${ending}`);
        expect([id, answer.status, withoutId(answer)]).toEqual([id, 404, withoutId(usual)]);
      }
    for (const brand of [otherId, 'nobody'])
      expect((await get(`/api/v1/snapshots/${ids[3]}/brands/${brand}/visibility`)).status).toBe(404);
  });

  test('set cache headers, and return 304 to clients that have the document', async () => {
    for (const ending of ['brands', path]) {
      const url = `/api/v1/snapshots/${ids[0]}/${ending}`;
      const first = await get(`${url}?anything=else`);
      expect(first.status).toBe(200);
      expect(first.headers).toMatchObject({
        'cache-control': 'private, max-age=31536000, immutable',
        'x-snapshot-id': ids[0],
        etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
      });
      const again = await get(url, ['If-None-Match', first.headers.etag!]);
      expect([again.status, again.headers['x-snapshot-id']]).toEqual([304, ids[0]]);
    }
    const list = await get('/api/v1/snapshots');
    expect(list.headers).toMatchObject({ 'cache-control': 'private, no-cache' });
    expect(list.headers['x-snapshot-id']).toBeUndefined();
    expect((await get('/api/v1/snapshots', ['If-None-Match', list.headers.etag!])).status).toBe(304);
  });
});
