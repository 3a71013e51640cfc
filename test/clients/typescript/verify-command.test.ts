/** @module-tag long */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../lib/clock.ts';
import { commitToLog } from '../../../snapshots/log/write/commit.ts';
import { logInMemory, setPlan, startListeningGateway } from '../../gateway/gateway.ts';
import type { ListeningGateway } from '../../gateway/gateway.ts';
import { makeTestKeys, workspaceIds } from '../../snapshots/history.ts';
import { ORIGIN, publishHistory, publishWeek } from '../../snapshots/publish.ts';
import { temporaryFolder, temporaryFolders } from '../../support/folder.ts';
import { startServer } from '../../support/http-server.ts';
import { compileCache, root } from '../tools.ts';

const program = join(root, 'clients/typescript/src/main.ts');
const newFolder = temporaryFolders();
const [workspaceId] = workspaceIds;

let gateway: ListeningGateway;
let key: string;
/** Four weeks, the first of them pruned, then a week that is wrong and was withdrawn. */
let ids: string[];

beforeAll(async () => {
  const log = await logInMemory(await newFolder());
  ids = await publishHistory(log);
  ids.push(await publishWeek(log, workspaceId, '2026-11-23'));
  const draft = { kind: 'withdrawn', workspaceId } as const;
  const drafts = [
    { ...draft, snapshotId: ids[0]!, reason: 'pruned' },
    { ...draft, snapshotId: ids[4]!, reason: 'mistaken' },
  ] as const;
  const clock = { now: () => Date.parse('2026-11-24T07:00:00Z') };
  await commitToLog({ ...log, clock }, async () => ({ drafts }));
  log.clock.time = clock.now();
  gateway = await startListeningGateway(systemClock, { log });
  await setPlan(gateway.records, workspaceId, 'agency', 1_000_000);
  key = await gateway.createKey(workspaceId);
});
afterAll(async () => await gateway?.close());

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const { PATH = '' } = process.env;
  const settings = { PATH, ...compileCache, SIGHTLINE_URL: gateway.base, SIGHTLINE_API_KEY: key, ...env };
  return await promisify(execFile)(process.execPath, [program, ...args], { env: settings }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Ran) => ({ code, stdout, stderr }),
  );
}

async function verify(...options: string[]): Promise<Ran> {
  return await run(['verify', '--public-key', gateway.log.keys.publicKey, ...options]);
}

/** A service that changes the bodies of another one. Its address. */
async function startLiar(change: (url: string, text: string) => string | null): Promise<string> {
  const missing = '{"error":{"code":"not_found","message":"none"}}';
  return await startServer(({ url = '', headers: { authorization = '' } }, response) => {
    const pass = async () => {
      const answer = await fetch(`${gateway.base}${url}`, { headers: { authorization } });
      const text = change(url, await answer.text());
      response.writeHead(text === null ? 404 : answer.status).end(text ?? missing);
    };
    void pass();
  });
}

describe('sightline-client verify', () => {
  test('verifies the current snapshot with every document, and says what it verified', async () => {
    const { code, stdout, stderr } = await verify('--origin', ORIGIN);
    const { fingerprint } = gateway.log.keys;
    const lines = [
      expect.stringMatching(
        `^Log: ${ORIGIN} has \\d+ entries, root \\S+=, signed with the key ${fingerprint}\\.$`,
      ),
      `Snapshot: ${ids[3]}, entry 13 of the log, is publication 4 of workspace ${workspaceId}, of 2026-11-16T07:00:00.000Z.`,
      'Documents: all 17 have the bytes that were published.',
    ];
    const withoutStale = stdout.split('\n').filter((line) => !line.startsWith('Stale: '));
    expect([code, withoutStale, stderr]).toEqual([0, [...lines, ''], '']);
  });

  test('verifies an older snapshot, a pruned one without its documents, and a withdrawn one', async () => {
    const whole = /\nDocuments: all 17 have the bytes that were published\.\n$/;
    for (const [snapshot, said] of [
      [ids[1], whole],
      [
        ids[0],
        /\nWithdrawn by the operator: pruned\.\nDocuments: not compared, because they were removed\.\n$/,
      ],
      [ids[4], /\nWithdrawn by the operator: mistaken\.\nDocuments: all 17 have/],
    ] as const) {
      const { code, stdout, stderr } = await verify('--snapshot', snapshot!);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(said);
    }
  });

  test('says after ten days without a new snapshot that it is stale', async () => {
    const log = await logInMemory(await temporaryFolder());
    log.clock.time = Date.now() - 10 * 24 * 60 * 60_000;
    const quiet = await startListeningGateway(systemClock, { log });
    onTestFinished(() => quiet.close());
    const env = { SIGHTLINE_URL: quiet.base, SIGHTLINE_API_KEY: quiet.key };
    const { code, stdout } = await run(['verify', '--public-key', log.keys.publicKey], env);
    expect([code, stdout.includes('\nStale: a week is missing.')]).toEqual([0, true]);
  });

  test('is 1 for another key, another log, and documents that are altered or missing', async () => {
    const other = await makeTestKeys(await temporaryFolder(), 'other');
    const stranger = await run(['verify', '--public-key', other.publicKey]);
    expect(stranger).toEqual({
      code: 1,
      stdout: '',
      stderr: 'NOT VERIFIED: the head of the log is not signed with the public key\n',
    });
    expect(await verify('--origin', 'other.example/log')).toMatchObject({
      code: 1,
      stderr: `NOT VERIFIED: the proof is of the log ${ORIGIN}\n`,
    });
    const liar = await startLiar((url, text) => {
      if (url.endsWith('/sources')) return null;
      return url.endsWith('/visibility') ? `${text} ` : text;
    });
    const lied = await run(['verify', '--public-key', gateway.log.keys.publicKey], { SIGHTLINE_URL: liar });
    expect(lied.code).toBe(1);
    expect(lied.stdout).not.toContain('Documents: ');
    expect(
      lied.stderr.match(/^NOT VERIFIED: the document brands\/\S+\/visibility was published with other/gm),
    ).toHaveLength(2);
    expect(
      lied.stderr.match(/^NOT VERIFIED: the service does not return the document \S+\/sources$/gm),
    ).toHaveLength(2);
  });

  test('is 2 if it cannot look: options, key files, snapshots and API keys that are wrong', async () => {
    const usage = await run([]);
    expect([usage.code, usage.stderr]).toEqual([
      2,
      expect.stringMatching(/^Usage: sightline-client week .*\n +sightline-client verify /),
    ]);
    expect(await run(['verify', '--all'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^Not checked: .*--all/),
    });
    const { publicKey } = gateway.log.keys;
    const cases: [string[], Record<string, string>, RegExp][] = [
      [['--public-key', program], {}, /publicKey has no public key in PEM/],
      [['--public-key', publicKey, '--snapshot', 'nonsense'], {}, /no snapshot nonsense/],
      [['--public-key', publicKey], { SIGHTLINE_API_KEY: '' }, /apiKey is missing or empty/],
    ];
    for (const [args, env, complaint] of cases)
      expect(await run(['verify', ...args], env)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(new RegExp(`^Not checked: .*${complaint.source}.*\\n$`)),
      });
  });
});
