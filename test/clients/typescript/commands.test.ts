/** @module-tag long */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Week } from '../../../lib/documents/week.ts';
import { ORIGIN, withdraw } from '../../adapters/publish.ts';
import { exampleDocuments, startDescribedGateway } from '../../gateway/described-gateway.ts';
import type { DescribedGateway } from '../../gateway/described-gateway.ts';
import { logInMemory, workspaceId } from '../../gateway/gateway.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { compileCache, root, startLiar } from '../tools.ts';

const program = join(root, 'clients/typescript/src/main.ts');
const newFolder = temporaryFolders();

let gateway: DescribedGateway;
/** As of the week after that of the examples, and published ten days ago. */
let current: string;

beforeAll(async () => {
  const log = await logInMemory(await newFolder());
  log.clock.time = Date.now() - 10 * 24 * 60 * 60_000;
  gateway = await startDescribedGateway(undefined, {}, { log });
  const [first] = exampleDocuments.week.brands as [Week['brands'][number]];
  const brand = { ...first.brand, name: '# [Free](https://evil.example) <b>*now*</b>' };
  const week = { asOf: '2026-11-24T06:00:00.000Z', brands: [{ ...first, brand }] };
  current = await gateway.publish('2026-11-24', { week });
});
afterAll(async () => await gateway?.close());

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const { PATH = '' } = process.env;
  const ours = { SIGHTLINE_URL: gateway.base, SIGHTLINE_API_KEY: gateway.key };
  const settings = { PATH, ...compileCache, ...ours, ...env };
  return await promisify(execFile)(process.execPath, [program, ...args], { env: settings }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Ran) => ({ code, stdout, stderr }),
  );
}

const verify = async (...options: string[]) =>
  await run(['verify', '--public-key', gateway.log.keys.publicKey, ...options]);

test('verify reads every document of a snapshot, and says what it verified, and that a week is missing', async () => {
  const { keys, clock } = gateway.log;
  const { code, stdout, stderr } = await verify('--origin', ORIGIN);
  expect([code, stdout.split('\n'), stderr]).toEqual([
    0,
    [
      expect.stringMatching(
        `^Log: ${ORIGIN} has 8 entries, root \\S+=, signed with the key ${keys.fingerprint}\\.$`,
      ),
      `Snapshot: ${current}, entry 7 of the log, is publication 3 of workspace ${workspaceId}, of ${new Date(clock.time).toISOString()}.`,
      expect.stringMatching(/^Stale: a week is missing\./),
      'Documents: all 10 have the bytes that were published.',
      '',
    ],
    '',
  ]);
});

test.each([
  ['pruned', 'not compared, because they were removed'],
  ['mistaken', 'all 10 have the bytes that were published'],
] as const)('verify says that a snapshot was withdrawn as %s', async (reason, documents) => {
  const snapshotId = await gateway.publish(reason === 'pruned' ? '2026-11-18' : '2026-11-19');
  await withdraw(gateway.log, workspaceId, [{ snapshotId, reason }]);
  await gateway.documents.refresh();
  const { stdout } = await verify('--snapshot', snapshotId);
  expect(stdout).toContain(`\nWithdrawn by the operator: ${reason}.\nDocuments: ${documents}.\n`);
});

test('verify exits with 1 for documents that are altered or missing', async () => {
  const liar = await startLiar(gateway.base, (text, path) => {
    if (path.endsWith('/sources')) return null;
    return path.endsWith('/results') ? `${text} ` : text;
  });
  const { publicKey } = gateway.log.keys;
  const lied = await run(['verify', '--public-key', publicKey], { SIGHTLINE_URL: liar });
  expect([lied.code, lied.stdout.includes('Documents: ')]).toEqual([1, false]);
  const problems = lied.stderr.replaceAll(/brands\/\S+\//g, '').split('\n');
  expect(problems.toSorted()).toEqual([
    '',
    'NOT VERIFIED: the document results was published with other bytes',
    'NOT VERIFIED: the service does not return the document sources',
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

test('week prints the week as Markdown by one request, and no name becomes markup', async () => {
  const { answered } = gateway.observed;
  const before = answered.length;
  const { stdout } = await run(['week']);
  expect(answered.slice(before).map(({ route }) => route)).toEqual(['getWeek']);
  expect(stdout.split('\n').filter((line) => line.startsWith('#'))).toEqual([
    '# The week as of 2026-11-24',
    String.raw`## \# \[Free\]\(https://evil.example\) \<b\>\*now\*\</b\>`,
  ]);
  expect(await run(['week', '--snapshot', current])).toMatchObject({ code: 0, stdout });
});
