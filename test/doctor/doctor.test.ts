/** @module-tag long */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Part } from '../../infra/doctor/parts.ts';
import { sha256 } from '../../lib/hash.ts';
import { runProgram } from '../support/program.ts';
import { filesBelow } from '../jobs/lake.ts';
import { temporaryFolders } from '../support/folder.ts';
import { harms } from './harms.ts';
import { copyOf, doctor, install } from './installation.ts';
import type { Installation } from './installation.ts';

const newFolder = temporaryFolders();

let sound: Installation;
beforeAll(async () => {
  sound = await install(await newFolder());
});

async function contents(folder: string): Promise<Record<string, string>> {
  const files = await filesBelow(folder);
  const read = files.map(async (file) => [relative(folder, file), sha256(await readFile(file))]);
  return Object.fromEntries(await Promise.all(read)) as Record<string, string>;
}

describe('for a sound installation, the doctor', () => {
  test('reports no problems, and changes no file', async () => {
    const before = await contents(sound.folder);
    const examined = await doctor(sound.settings);
    expect(examined).toMatchObject({ status: 0, isHealthy: true, complaints: [] });
    expect(examined.findings.map(({ subject, state }) => `${subject} ${state}`)).toEqual([
      'version ok',
      'node ok',
      'settings ok',
      'records ok',
      'records: schema ok',
      'records: workspaces ok',
      'records: writable ok',
      'records: disk ok',
      'store ok',
      'store: format ok',
      'store: writable ok',
      'store: disk ok',
      'log ok',
      'snapshots ok',
      'snapshots: age ok',
      'signing key ok',
      'signing key: log ok',
      'public keys ok',
      'public keys: pair ok',
      'lake ok',
      'lake: format ok',
      'lake: ledger ok',
      'lake: newest cycle ok',
      'lake: published week ok',
      'lake: objects ok',
      'lake: writable ok',
      'lake: disk ok',
      'scratch: disk ok',
    ]);
    const given = 'STORE_URL, LAKE_URL, RECORDS_URL, SIGNING_KEY_FILE, PUBLIC_KEY_FILE';
    expect(examined.found('settings')).toBe(`given: ${given}`);
    expect(await contents(sound.folder)).toEqual(before);
  });

  test('prints a table, and nothing to do', async () => {
    const ended = await runProgram('infra/doctor/cli.ts', [], sound.settings);
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^subject +state +found\nversion +✓ ok +sightline \d/);
    expect(ended.stdout).not.toContain('What to do');
    expect(ended.stdout).toMatch(/\n0 failed, 0 warnings, 28 ok\n$/);
  });

  test('checks only the selected parts', async () => {
    const { findings } = await doctor(sound.settings, '--only', 'lake', 'records');
    const subjects = findings.map(({ subject }) => subject.split(':')[0]);
    expect([...new Set(subjects)]).toEqual(['version', 'node', 'settings', 'records', 'lake', 'scratch']);
  });
});

test('remedies are below the table, and a failure is exit status 1', async () => {
  const ended = await runProgram('infra/doctor/cli.ts', [], {
    ...sound.settings,
    STORE_URL: `${sound.folder}/no`,
  });
  expect(ended.status).toBe(1);
  expect(ended.stdout).toMatch(
    /\nWhat to do:\n  store: correct STORE_URL; a store that was lost is restored .*\n/,
  );
});

/** The part that must find the harm; the other parts would only take time. */
function partOf(complaint: string): Part {
  if (complaint.includes(' records')) return 'records';
  return complaint.includes(' lake') ? 'lake' : 'store';
}

test.each(harms)('%s is found, and nothing else', async (_what, harm, complaints, found) => {
  const copy = await copyOf(sound);
  const others = await harm(copy);
  const examined = await doctor({ ...copy.settings, ...others }, '--only', partOf(complaints[0]!));
  expect(examined.complaints).toEqual(complaints);
  expect(examined.status).toBe(complaints.some((text) => text.startsWith('failure')) ? 1 : 0);
  const first = examined.findings.find(({ subject, state }) => `${state} ${subject}` === complaints[0]);
  expect(first!.found).toMatch(found);
});

test.each([[['--only', 'kitchen']], [['--quick']]])('%j is wrong usage, status 2', async (args) => {
  expect(await runProgram('infra/doctor/cli.ts', args, {})).toMatchObject({ status: 2, stdout: '' });
});
