/** @module-tag long */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitToLog } from '../../../snapshots/log/write/commit.ts';
import { logInMemory, setPlan, startListeningGateway } from '../../gateway/gateway.ts';
import type { ListeningGateway } from '../../gateway/gateway.ts';
import { publishBrands, acme } from '../../gateway/snapshots.ts';
import { workspaceIds } from '../../snapshots/history.ts';
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
  gateway = await startListeningGateway(undefined, { log });
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

const verify = async (...options: string[]) =>
  await run(['verify', '--public-key', gateway.log.keys.publicKey, ...options]);

test('verify reads every document of a snapshot, and says what it verified, what is missing and what was withdrawn', async () => {
  const { fingerprint } = gateway.log.keys;
  const { code, stdout, stderr } = await verify('--origin', ORIGIN, '--snapshot', ids[2]!);
  expect([code, stdout.split('\n'), stderr]).toEqual([
    0,
    [
      expect.stringMatching(
        `^Log: ${ORIGIN} has \\d+ entries, root \\S+=, signed with the key ${fingerprint}\\.$`,
      ),
      `Snapshot: ${ids[2]}, entry 9 of the log, is publication 3 of workspace ${workspaceId}, of 2026-11-09T07:00:00.000Z.`,
      'Documents: all 17 have the bytes that were published.',
      '',
    ],
    '',
  ]);
  const removed = 'Withdrawn by the operator: pruned.\nDocuments: not compared, because they were removed.\n';
  expect((await verify('--snapshot', ids[0]!)).stdout).toContain(`\n${removed}`);
  const mistaken = await verify('--snapshot', ids[4]!);
  expect(mistaken.stdout).toContain('\nWithdrawn by the operator: mistaken.\nDocuments: all 17 have');
});

test('verify exits with 1 for documents that are altered or missing', async () => {
  const liar = await startServer(({ url = '', headers: { authorization = '' } }, response) => {
    const pass = async () => {
      const answer = await fetch(`${gateway.base}${url}`, { headers: { authorization } });
      const text = await answer.text();
      if (!url.endsWith('/sources')) response.end(/brands.*visibility$/.test(url) ? `${text} ` : text);
      else response.writeHead(404).end('{"error":{"code":"not_found","message":"none"}}');
    };
    void pass();
  });
  const args = ['verify', '--public-key', gateway.log.keys.publicKey];
  const lied = await run(args, { SIGHTLINE_URL: liar });
  expect([lied.code, lied.stdout.includes('Documents: ')]).toEqual([1, false]);
  expect(
    lied.stderr
      .replaceAll(/brands\/\S+\//g, '')
      .split('\n')
      .toSorted(),
  ).toEqual([
    '',
    ...[1, 2].map(() => 'NOT VERIFIED: the document visibility was published with other bytes'),
    ...[1, 2].map(() => 'NOT VERIFIED: the service does not return the document sources'),
  ]);
});

test('a command exits with 2 if it cannot look: options, key files, snapshots and API keys that are wrong', async () => {
  const withKey = ['verify', '--public-key', gateway.log.keys.publicKey];
  const cases: [string[], Record<string, string>, RegExp][] = [
    [[], {}, /^Usage: sightline-client week .*\n +sightline-client verify /],
    [['verify', '--all'], {}, /^Not checked: .*--all.*\n$/],
    [['verify', '--public-key', program], {}, /^Not checked: .*publicKey has no public key in PEM.*\n$/],
    [[...withKey, '--snapshot', 'nonsense'], {}, /^Not checked: .*no snapshot nonsense.*\n$/],
    [withKey, { SIGHTLINE_API_KEY: '' }, /^Not checked: .*apiKey is missing or empty.*\n$/],
  ];
  for (const [args, env, complaint] of cases)
    expect(await run(args, env)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(complaint) as string,
    });
});

test('week prints the week as Markdown by one request, no name becomes markup, and verify says that it is old', async () => {
  const log = await logInMemory(await temporaryFolder());
  log.clock.time = Date.now() - 10 * 24 * 60 * 60_000;
  const other = await startListeningGateway(undefined, { log });
  const brands = [
    { ...acme, name: '# [Free](https://evil.example) <b>*now*</b>' },
    { ...acme, id: acme.id.replace(/.$/, '2'), name: 'Plain' },
  ];
  const asOf = '2026-11-23T06:00:00.000Z';
  const id = '11111111-1111-4111-8111-111111111111';
  const snapshot = await publishBrands(other.log, id, brands, asOf, { isWhole: true });
  await other.documents.refresh();
  const env = { SIGHTLINE_URL: other.base, SIGHTLINE_API_KEY: other.key };
  const { stdout } = await run(['week'], env);
  expect(other.observed.answered.map(({ route }) => route)).toEqual(['getWeek']);
  expect(stdout.split('\n').filter((line) => line.startsWith('#'))).toEqual([
    '# The week as of 2026-11-23',
    String.raw`## \# \[Free\]\(https://evil.example\) \<b\>\*now\*\</b\>`,
    '## Plain',
  ]);
  expect(stdout).toContain('No engine has answered a prompt of Plain yet.');
  expect(await run(['week', '--snapshot', snapshot], env)).toMatchObject({ code: 0, stdout });
  const verified = await run(['verify', '--public-key', log.keys.publicKey], env);
  expect([verified.code, verified.stdout]).toEqual([
    0,
    expect.stringContaining('\nStale: a week is missing.'),
  ]);
  await other.close();
});
