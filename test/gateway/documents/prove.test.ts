import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../lib/clock.ts';
import { snapshotProofSchema } from '../../../lib/history/schemas.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { appendToLog } from '../../../snapshots/log/append.ts';
import { publishedHistories } from '../../../snapshots/log/histories.ts';
import { pruneSnapshots } from '../../../snapshots/prune/prune.ts';
import { readPointer } from '../../../snapshots/read.ts';
import { brandIds, makeTestKeys, publishWeek, weeks, workspaceIds } from '../../snapshots/history.ts';
import type { Keys } from '../../snapshots/history.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWith } from '../../support/requires.ts';
import { ask, bearer } from '../ask.ts';
import { setPlan, startListeningGateway } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';
import { startRedirect } from '../redirect.ts';

const [workspaceId, otherId] = workspaceIds;
const run = promisify(execFile);
const scripts = join(import.meta.dirname, '../../../docs');
const path = `brands/${brandIds[0]}/visibility`;

let gateway: ListeningGateway;
let store: ObjectStore;
let lake: ObjectStore;
let keys: Keys;
let key: string;
let ids: string[];

beforeEach(async () => {
  const folder = await temporaryFolder();
  store = directoryStore(join(folder, 'store'));
  lake = directoryStore(join(folder, 'lake'));
  keys = await makeTestKeys(folder, 'own');
  ids = [];
  for (const week of weeks) {
    ids.push(await publishWeek(store, workspaceId, week, keys.signer));
    await publishWeek(store, otherId, week, keys.signer);
  }
  gateway = await startListeningGateway(systemClock, { store });
  onTestFinished(() => gateway.close());
  await setPlan(gateway.records, workspaceId, 'agency', 1_000_000);
  key = await gateway.createKey(workspaceId);
});

const append = () =>
  appendToLog({
    store,
    lake,
    origin: 'sightline.example/log',
    signer: keys.signer,
    trust: keys.trust,
    histories: () => publishedHistories(store, keys.trust),
  });

const get = (url: string, headers: string[] = []) =>
  ask(gateway.base, url, { headers: [...bearer(key), ...headers] });

async function proofOf(snapshotId: string) {
  const { headers, text } = await get(`/api/v1/snapshots/${snapshotId}/proof`);
  return { headers, proof: snapshotProofSchema.parse((JSON.parse(text) as { data: unknown }).data) };
}

describe('the proof of a snapshot', () => {
  test('exists before the log contains the snapshot, and is final after that', async () => {
    const before = await proofOf(ids[1]!);
    expect(before.proof).toMatchObject({
      publicKeyFingerprint: keys.fingerprint,
      checkpoint: null,
      inclusionProof: null,
    });
    expect(before.headers['cache-control']).toBe('private, no-cache');
    await append();
    const { headers, proof } = await proofOf(ids[1]!);
    expect(headers).toMatchObject({
      'cache-control': 'private, max-age=31536000, immutable',
      'x-snapshot-id': ids[1],
    });
    expect(proof.inclusionProof!.endsWith(`\n\n${proof.checkpoint}`)).toBe(true);
    expect(proof.manifest).toBe(before.proof.manifest);
    const again = await get(`/api/v1/snapshots/${ids[1]}/proof`, ['If-None-Match', headers.etag!]);
    expect([again.status, again.text]).toEqual([304, '']);
  });
});

describe('the endpoints of the history', () => {
  const endings = ['brands', path, 'proof'];

  test('return identical 404 responses for everything that does not exist', async () => {
    await publishWeek(store, otherId, '2026-11-23', keys.signer);
    const theirs = (await readPointer(store, otherId))!.snapshotId;
    await pruneSnapshots(store, {
      workspaceId,
      keep: [{ newest: 2 }],
      signer: keys.signer,
      trust: keys.trust,
      now: Date.parse('2026-11-20T00:00:00Z'),
      isDryRun: false,
    });
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

  test('require a key, and count', async () => {
    for (const ending of ['', ...endings.map((name) => `/${ids[0]}/${name}`)]) {
      expect((await ask(gateway.base, `/api/v1/snapshots${ending}`)).status).toBe(401);
      expect((await get(`/api/v1/snapshots${ending}`)).headers['x-ratelimit-remaining']).toBeDefined();
    }
    await setPlan(gateway.records, workspaceId, 'starter', null);
    expect((await get('/api/v1/snapshots')).status).toBe(402);
  });
});

const programs = { 'prove.py': 'python3', 'prove.ts': process.execPath };

describeWith(['python3', 'openssl'], 'a week that is read again', () => {
  const prove = (script: keyof typeof programs, publicKey: string, url = gateway.base) => {
    const env = { ...process.env, SIGHTLINE_URL: url, SIGHTLINE_API_KEY: key };
    return run(programs[script], [join(scripts, script), ids[1]!, path, publicKey], { env });
  };
  const names = Object.keys(programs) as (keyof typeof programs)[];

  test.each(names)('is proved by docs/%s, before and after it is in the log', async (script) => {
    expect((await prove(script, keys.publicKey)).stdout).toContain('does not have the snapshot yet');
    await append();
    const { stdout } = await prove(script, keys.publicKey);
    expect(stdout).toContain('ok: the entry is one of the 8 of the log sightline.example/log');
    expect(stdout).toMatch(/Published 2026-11-02T07:00:00\.000Z, as of 2026-11-02T06:00:00\.000Z\.\n$/);
  });

  test.each(names)('is one line of docs/%s if it cannot be read', async (script) => {
    const closed = 'http://127.0.0.1:1';
    for (const url of [closed, `${gateway.base}/elsewhere`])
      await expect(prove(script, keys.publicKey, url)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^\/api\/v1\/snapshots\/\S+\/proof.+\n$/),
      });
    await expect(prove(script, join(scripts, script))).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^.+\n$/),
    });
  });

  /** The changes of a proxy, and the step that detects each. */
  const forgeries: [string, (url: string, text: string) => string, string][] = [
    [
      'a document',
      (url, text) => (url.endsWith('/proof') ? text : `${text} `),
      'the manifest lists these bytes',
    ],
    [
      'the manifest',
      (_url, text) => text.replace('codeVersion\\":\\"test', 'codeVersion\\":\\"best'),
      'the signature',
    ],
    [
      'the place in the log',
      (_url, text) => text.replace(/\\nindex (\d)/, '\\nindex 7'),
      'the entry is one of',
    ],
    ['the head of the log', (_url, text) => text.replaceAll('log\\n8\\n', 'log\\n9\\n'), ''],
    [
      'the signatures of the head: one more of the key',
      (_url, text) => text.replace(/(\\n— \S+ .{24}).*?(?=\\n")/g, '$&$1'),
      'the head of the log is signed',
    ],
  ];

  test.each(names.flatMap((script) => forgeries.map((forgery) => [script, ...forgery] as const)))(
    'is not proved by docs/%s after a change of %s',
    async (script, _what, change, step) => {
      await append();
      const proxy = createServer((request, response) => {
        void get(request.url!).then(({ status, text }) =>
          response.writeHead(status).end(change(request.url!, text)),
        );
      });
      await once(proxy.listen(0, '127.0.0.1'), 'listening');
      onTestFinished(() => void proxy.close());
      const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      await expect(prove(script, keys.publicKey, url)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`NOT PROVED: ${step}`),
      });
    },
  );

  test.each(names)('docs/%s does not send the key to the target of a redirect', async (script) => {
    const { base, received } = await startRedirect();
    await expect(prove(script, keys.publicKey, base)).rejects.toMatchObject({ code: 1 });
    expect(received.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  test.each(names)('is not proved by docs/%s with another key', async (script) => {
    const other = await makeTestKeys(await temporaryFolder(), 'other');
    await expect(prove(script, other.publicKey)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('NOT PROVED: signed with this public key'),
    });
  });
});
