/** @module-tag long */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { publishSnapshot } from '../../../snapshots/publish/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWith } from '../../support/requires.ts';
import { startTimestampAuthority } from '../../support/timestamp-authority.ts';
import { startWitness } from '../../support/witness.ts';
import { auditIn } from '../audit-program.ts';
import { makeTestKeys } from '../history.ts';
import type { Keys } from '../history.ts';
import { publicationOf } from '../publication.ts';
import { ORIGIN } from './histories.ts';

const run = promisify(execFile);

let folder: string;
let keys: Keys;
let settings: Record<string, string>;

beforeEach(async () => {
  folder = await temporaryFolder();
  keys = await makeTestKeys(folder, 'operator');
  settings = {
    STORE_URL: join(folder, 'store'),
    LAKE_URL: join(folder, 'lake'),
    SIGNING_KEY_FILE: keys.privateKey,
    PUBLIC_KEY_FILE: keys.publicKey,
    LOG_ORIGIN: ORIGIN,
  };
});

const audit = async (...options: string[]) => await auditIn(folder, settings, ...options);

const complaintOf = async (...options: string[]) => (await audit('log', ...options)).complaint;

/** Twelve weeks; in the rewritten history week 5 has other documents, so the chain after it differs. */
async function publishTwelveWeeks(isRewritten: boolean): Promise<void> {
  const store = directoryStore(settings['STORE_URL']!);
  for (let week = 1; week <= 12; week++) {
    const publication = publicationOf(week, { brands: isRewritten && week === 5 ? 2 : 1 });
    const clock = { now: () => Date.UTC(2026, 0, 5) + week * 7 * 86_400_000 };
    await publishSnapshot(store, publication, { signer: keys.signer, trust: keys.trust, clock });
  }
}

/** The operator starts over with the same key: a new store, a new lake, and a new log with the old name. */
async function rewriteEverything(): Promise<void> {
  await rename(join(folder, 'store'), join(folder, 'old-store'));
  await rename(join(folder, 'lake'), join(folder, 'old-lake'));
  await publishTwelveWeeks(true);
  expect((await audit('log', 'append')).status).toBe(0);
  expect((await audit('verify')).output).toContain('\nIntact.');
}

describe('an operator with the key who rewrites week 5 of 12', () => {
  beforeEach(async () => {
    await publishTwelveWeeks(false);
    await audit('log', 'append');
  });

  test("is found by an auditor's state", async () => {
    expect((await audit('verify', '--state', 'state.json')).status).toBe(0);
    await rewriteEverything();
    const { status, json } = await audit('verify', '--state', 'state.json', '--json');
    const { problems } = json() as { problems: { kind: string }[] };
    expect(status).toBe(1);
    expect(new Set(problems.map(({ kind }) => kind))).toEqual(new Set(['replaced', 'log_rewritten']));
  });

  test('is found by a witness, which then does not cosign', async () => {
    const { privateKey } = await makeTestKeys(folder, 'witness');
    const witness = ['witness', '--state', 'seen.json', '--key', privateKey, '--name', 'auditor.example'];
    const first = await audit(...witness);
    expect([first.status, first.output]).toEqual([
      0,
      expect.stringMatching(/^\u2014 auditor\.example [\w+/=]+\n$/),
    ]);
    await rewriteEverything();
    const state = await readFile(join(folder, 'seen.json'));
    const { status, output, complaint } = await audit(...witness);
    expect([status, output]).toEqual([1, '']);
    expect(complaint).toMatch(/it was rewritten \(a fork\)/);
    expect(await readFile(join(folder, 'seen.json'))).toEqual(state);
  });

  test('is refused by a witness over HTTP, so that a policy finds the checkpoint without its cosignature', async () => {
    const { signer } = await makeTestKeys(folder, 'witness');
    const log = { origin: ORIGIN, publicKey: keys.signer.publicKey };
    const witness = await startWitness('witness.example', signer, log);
    onTestFinished(() => witness.close());
    settings['WITNESS_URLS'] = witness.url;
    const logKey = (await audit('log', 'key')).output.trim();
    const policy = `log ${logKey}\nwitness w ${witness.vkey}\nquorum w\n`;
    await writeFile(join(folder, 'policy'), policy);
    expect((await audit('verify', '--policy', 'policy')).output).toContain('log_without_quorum');
    const appended = await audit('log', 'append', '--witness-key', witness.vkey);
    expect(appended.output).toMatch(/cosigned\n$/);
    expect((await audit('verify', '--policy', 'policy')).status).toBe(0);

    delete settings['WITNESS_URLS'];
    await rewriteEverything();
    settings['WITNESS_URLS'] = witness.url;
    const refused = await audit('log', 'append', '--witness-key', witness.vkey);
    expect([refused.status, refused.output]).toEqual([
      0,
      expect.stringContaining('not the one that it saw before'),
    ]);
    expect((await audit('verify', '--policy', 'policy')).status).toBe(1);
  });

  describeWith(['openssl'], 'with a stamped checkpoint', () => {
    test('is found by everyone who kept the checkpoint', async () => {
      const authority = await startTimestampAuthority(folder);
      onTestFinished(() => authority.close());
      settings['TIMESTAMP_URL'] = authority.url;
      expect((await audit('log', 'append')).output).toMatch(/stamped\n$/);
      expect((await audit('verify')).output).toMatch(/12 entries existed before \d{4}-/);
      for (const name of ['12', '12.tsr'])
        await copyFile(join(folder, 'store/log/checkpoints', name), join(folder, name));
      await rewriteEverything();
      const stamp = ['-data', '12', '-in', '12.tsr', '-CAfile', authority.certificate];
      expect((await run('openssl', ['ts', '-verify', ...stamp], { cwd: folder })).stdout).toContain('OK');
      const { status, output } = await audit('verify', '--checkpoint', '12');
      expect(status).toBe(1);
      expect(output).toContain('log_rewritten');
    });
  });
});

describe('the log commands', () => {
  test('report a missing setting in one line', async () => {
    await publishTwelveWeeks(false);
    expect(await complaintOf('prove', 'current')).toMatch(
      /^sightline: .* has no log: "log append" begins one\n$/,
    );
    delete settings['LOG_ORIGIN'];
    expect(await complaintOf('append')).toMatch(/^sightline: LOG_ORIGIN is not set: .*\n$/);
    settings['LOG_ORIGIN'] = ORIGIN;
    delete settings['SIGNING_KEY_FILE'];
    expect(await complaintOf('append')).toMatch(/^sightline: SIGNING_KEY_FILE is not set: .*\n$/);
  });

  test('append accepts the key as text and adds only new snapshots; prove writes a proof', async () => {
    await publishTwelveWeeks(false);
    delete settings['SIGNING_KEY_FILE'];
    settings['SIGNING_KEY'] = (await readFile(keys.privateKey, 'utf8')).replaceAll('\n', String.raw`\n`);
    expect((await audit('log', 'append')).output).toMatch(
      /^Appended 12 entries; the log has 12, root [0-9a-f]{64}\.$/m,
    );
    expect((await audit('log', 'append')).output).toContain('Appended 0 entries');
    const { output } = await audit('log', 'prove', 'current', '--out', '-');
    expect(output).toMatch(/^c2sp\.org\/tlog-proof@v1\nextra [\w+/=]+\nindex 11\n/);
  });

  test('append without public keys refuses a history that another key continued', async () => {
    await publishTwelveWeeks(false);
    const { signer } = await makeTestKeys(folder, 'thief');
    const store = directoryStore(settings['STORE_URL']!);
    await publishSnapshot(store, publicationOf(13), { signer, trust: null });
    delete settings['PUBLIC_KEY_FILE'];
    const { status, output, complaint } = await audit('log', 'append');
    expect([status, output]).toEqual([1, expect.stringContaining('Appended 0 entries') as string]);
    expect(complaint).toMatch(/ was not appended: .* is signed with a key that is not trusted/);
  });

  describeWith(['python3', 'openssl'], 'and docs/verify.py', () => {
    const verifier = join(import.meta.dirname, '../../../docs/verify.py');
    const verify = async (...options: string[]) => {
      const workspace = publicationOf(1).workspaceId;
      const args = [verifier, settings['STORE_URL']!, workspace, keys.publicKey, ...options];
      return await run('python3', args, { cwd: folder }).then(
        ({ stdout }) => stdout,
        ({ stderr }: { stderr: string }) => stderr,
      );
    };

    test('which has at most 120 lines, so that an auditor reads it whole', async () => {
      const text = await readFile(verifier, 'utf8');
      expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
    });

    test('agree on a store, its chain, its proofs and checkpoint, and on altered objects', async () => {
      await publishTwelveWeeks(false);
      await audit('log', 'append');
      const proof = (await audit('log', 'prove', 'previous')).output.trim();
      expect(await verify(proof, ORIGIN)).toMatch(
        /^ {3}12 [^]*\nin the log: \S+, index 10 of 12\nIntact\.\n$/,
      );
      expect(await verify(proof, 'other.example')).toMatch(/^NOT INTACT: the checkpoint is of the log/);

      const text = await readFile(join(folder, proof), 'utf8');
      await writeFile(join(folder, 'altered'), text.replace('index 10', 'index 9'));
      expect(await verify('altered', ORIGIN)).toMatch(
        /^NOT INTACT: the proof does not lead to the checkpoint/,
      );
      const workspace = join(settings['STORE_URL']!, 'workspaces', publicationOf(1).workspaceId);
      const [oldest] = (await readdir(join(workspace, 'snapshots'))).toSorted();
      await mkdir(join(workspace, 'tombstones'));
      const tombstone = join(workspace, 'tombstones', `${oldest}.json`);
      await writeFile(tombstone, '{"snapshotId":"forged"}');
      expect(await verify()).toMatch(/^NOT INTACT: .*\.json is not of this snapshot\n$/);
      await rm(tombstone);
      await audit('prune', '--keep', '11', '--yes');
      expect(await verify()).toMatch(/\(pruned\)\nIntact\.\n$/);
      const names = await readdir(join(workspace, 'tombstones'));
      const signature = names.find((name) => name.endsWith('.sig'));
      await writeFile(join(workspace, 'tombstones', signature!), Buffer.alloc(64));
      expect(await verify()).toMatch(/^NOT INTACT: .*\.json is not signed by this key\n$/);

      const pointer = join(workspace, 'current.json');
      const current = await readFile(pointer);
      await writeFile(pointer, current.subarray(0, 20));
      expect(await verify()).toMatch(/^NOT INTACT: .*current\.json cannot be read: .*\n$/);
      await rm(pointer);
      expect(await verify()).toMatch(
        /^NOT INTACT: .*current\.json cannot be read: .*No such file or directory.*\n$/,
      );
      await writeFile(pointer, current);
      const stranger = await makeTestKeys(folder, 'stranger');
      await copyFile(stranger.publicKey, keys.publicKey);
      expect(await verify()).toMatch(/^NOT INTACT: .* is not signed by this key/);
    });
  });
});
