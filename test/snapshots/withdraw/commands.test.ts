/** @module-tag long */
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { timestampKey } from '../../../snapshots/layout.ts';
import { judgeNote, parseVerifierKey } from '../../../snapshots/log/notes/note.ts';
import { readCheckpoint } from '../../../snapshots/log/read.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { startWitness } from '../../support/witness.ts';
import { auditIn } from '../audit-program.ts';
import { makeTestKeys, workspaceIds } from '../history.ts';
import { newSigner } from '../log/places.ts';
import { publishHistory, testLog } from '../publish.ts';
import type { TestLog } from '../publish.ts';
import { documentOf } from '../verify/audited.ts';

const [workspaceId, otherId] = workspaceIds;

let log: TestLog;
let ids: string[];
beforeEach(async () => {
  log = await testLog(await temporaryFolder());
  ids = await publishHistory(log);
});

const settings = () => ({
  STORE_URL: 'store',
  LAKE_URL: 'lake',
  LOG_ORIGIN: log.origin,
  SIGNING_KEY_FILE: log.keys.privateKey,
  PUBLIC_KEY_FILE: log.keys.publicKey,
});
const audit = async (...options: string[]) => await auditIn(log.root, settings(), ...options);
const expectIntact = async () => expect(await audit('verify')).toMatchObject({ status: 0 });

describe('prune', () => {
  test('without --yes says what it would remove, and removes nothing', async () => {
    const { status, output } = await audit('prune', '--keep', '1');
    expect([status, output]).toEqual([
      0,
      expect.stringMatching(/\nWould remove 6 snapshots, \d+ bytes\. To do it, add --yes\.\n$/),
    ]);
    const { json } = await audit('prune', '--keep', '1', '--json');
    expect(json()).toMatchObject({ isDryRun: true, workspaces: [{ workspaceId, refused: null }, {}] });
    expect((await audit('prune', '--keep', '1', '--yes')).output).toMatch(
      /\nRemoved 6 snapshots, \d+ bytes\.\n$/,
    );
    expect((await audit('prune', '--keep', '1', '--yes')).output).toMatch(
      /\nRemoved 0 snapshots, 0 bytes\.\n$/,
    );
    await expectIntact();
  });

  test('ends with status 1 if it left a workspace out, names it, and prunes the others', async () => {
    await writeFile(join(log.root, 'store', documentOf(workspaceId, ids[1]!)), 'altered');
    const { status, output, complaint } = await audit('prune', '--keep', '1', '--yes');
    expect([status, output]).toEqual([1, expect.stringMatching(/\nRemoved 3 snapshots, /)]);
    expect(complaint).toMatch(
      new RegExp(`^sightline: workspace ${workspaceId} was not pruned: it does not verify: `),
    );
    const { status: again, json } = await audit('prune', '--keep', '1', '--json');
    expect([again, json()]).toMatchObject([
      1,
      {
        workspaces: [
          { workspaceId, refused: expect.any(String) },
          { workspaceId: otherId, refused: null },
        ],
      },
    ]);
  });

  test('needs to know what, and a key; it makes none', async () => {
    for (const options of [[], ['--keep', '1', '--unpublished'], ['--keep', '2026-02-30']])
      expect(await audit('prune', ...options)).toMatchObject({ status: 2, output: '' });
    const { SIGNING_KEY_FILE: _key, ...without } = settings();
    const { status, complaint } = await auditIn(log.root, without, 'prune', '--keep', '1');
    expect([status, complaint]).toEqual([
      2,
      expect.stringMatching(/^sightline: SIGNING_KEY_FILE is not set, /),
    ]);
    expect(await readdir(log.root)).not.toContain('.data');
  });

  test('--unpublished removes what is older than a day', async () => {
    const { status, json } = await audit('prune', '--unpublished', '--json');
    expect([status, json()]).toEqual([0, { isDryRun: true, objects: [] }]);
    expect((await audit('prune', '--unpublished', '--yes')).output).toBe('Removed 0 objects.\n');
  });
});

test('withdraw prints the snapshots, also as JSON', async () => {
  const mistaken = ['withdraw', 'current', '--workspace', workspaceId, '--reason', 'mistaken'];
  expect(await audit(...mistaken)).toMatchObject({ status: 0, output: `${ids[3]}: withdrawn, mistaken\n` });
  const { json } = await audit('withdraw', '--all', '--workspace', otherId, '--reason', 'removed', '--json');
  expect(json()).toMatchObject({ workspaceId: otherId, snapshotIds: { length: 4 } });
  for (const options of [
    ['current', '--reason', 'mistaken'],
    ['current', '--reason', 'removed', '--workspace', workspaceId],
    ['--all', '--reason', 'lost', '--workspace', workspaceId],
    ['--all-lost', '--reason', 'mistaken', '--workspace', workspaceId],
  ])
    expect(await audit('withdraw', ...options)).toMatchObject({ status: 2, output: '' });
  await expectIntact();
});

/** A time-stamp authority: its replies have the hash that they are asked about, and no signature. */
async function startAuthority(): Promise<string> {
  const server = createServer((request, response) => {
    const head = Buffer.from('30060b2a864886f70d0109100104', 'hex');
    void Array.fromAsync(request as AsyncIterable<Buffer>).then((chunks) =>
      response.end(Buffer.concat([head, Buffer.concat(chunks).subarray(24, 56)])),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startOwnWitness(origin = log.origin) {
  const { publicKey } = log.signer;
  const witness = await startWitness('witness.example', await newSigner(), { origin, publicKey });
  onTestFinished(() => witness.close());
  return witness;
}

describe('the witness and the time-stamp authority of the settings', () => {
  test.each([
    ['prune', '--keep', '2', '--yes'],
    ['withdraw', 'current', '--workspace', workspaceId, '--reason', 'mistaken'],
    ['rotate', '--to', 'next.private.pem'],
    ['log', 'restart', '--origin', 'next.example/log'],
  ])('are asked about the head that "%s %s" ends with', async (...command) => {
    await makeTestKeys(log.root, 'next');
    const witness = await startOwnWitness(command.includes('restart') ? command.at(-1) : log.origin);
    const authority = await startAuthority();
    const stamping = { ...settings(), WITNESS_URLS: witness.url, TIMESTAMP_URL: authority };
    expect(await auditIn(log.root, stamping, ...command)).toMatchObject({ status: 0, complaint: '' });
    const { note, size } = (await readCheckpoint(log.store))!;
    expect(judgeNote(note, parseVerifierKey(witness.vkey))).toBe('valid');
    expect(await log.store.get(timestampKey(size, authority))).not.toBeNull();
  });

  test('are not asked if nothing was appended, and their failure is a warning', async () => {
    const witness = await startOwnWitness();
    witness.failing = 500;
    const withWitness = { ...settings(), WITNESS_URLS: witness.url };
    const rest = ['withdraw', '--all-lost', '--workspace', workspaceId, '--reason', 'lost'];
    expect(await auditIn(log.root, withWitness, ...rest)).toMatchObject({
      status: 0,
      output: 'Nothing to withdraw.\n',
    });
    expect(witness.requests).toBe(0);
    const mistaken = ['withdraw', ids[2]!, '--workspace', workspaceId, '--reason', 'mistaken'];
    expect(await auditIn(log.root, withWitness, ...mistaken)).toMatchObject({
      status: 0,
      complaint: expect.stringContaining(
        'did not stamp the head of the log: it responded with status 500',
      ) as string,
    });
  });
});

test('rotate names the key that signs from now on, and refuses the old one', async () => {
  const next = await makeTestKeys(log.root, 'next');
  const { status, json } = await audit('rotate', '--to', next.privateKey, '--json');
  expect([status, json()]).toEqual([0, { size: expect.any(Number), signer: next.fingerprint }]);
  expect(await audit('rotate', '--to', next.privateKey)).toMatchObject({
    status: 1,
    complaint: expect.stringContaining(`the log is signed with the key ${next.fingerprint}`),
  });
  await expectIntact();
});
