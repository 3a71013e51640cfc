/** @module-tag long */
import { cp, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import { ingest } from '../../../jobs/ingest/ingest.ts';
import { weekly } from '../../../jobs/weekly/weekly.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { temporaryFolder, temporaryFolders } from '../../support/folder.ts';
import { auditIn } from '../audit-program.ts';
import { keysOf, makeTestKeys } from '../history.ts';
import type { Keys } from '../history.ts';
import { ORIGIN, testLog } from '../publish.ts';

const newFolder = temporaryFolders();
const days = ['2026-11-02', '2026-11-09', '2026-11-16'];

/** Three weeks that the weekly job published, so that they can be computed again; and what was there before the last. */
let published: string;
let own: Keys;
let next: Keys;
let folder: string;
let settings: Record<string, string>;

beforeAll(async () => {
  published = await newFolder();
  [own, next] = [await makeTestKeys(published, 'own'), await makeTestKeys(published, 'next')];
  const { store, lake, origin, signer } = await testLog(published, { keys: own });
  const drop = join(published, 'drop');
  const size = { seed: 3, workspaces: 1, brands: 1, prompts: 2, cycles: 4, format: 'ndjson' } as const;
  await makeDemo({ to: drop, ...size, asOf: parseInstant('2026-11-16T06:00:00Z')! });
  await ingest({ from: drop, lake, date: '2026-10-01' }, { clock: { now: () => Date.parse('2026-11-01') } });
  for (const [index, day] of days.entries()) {
    if (index === 2) for (const name of ['store', 'lake']) await keep(published, name, `older-${name}`);
    await weekly({ lake, store, origin, signer, asOf: parseInstant(`${day}T23:00:00Z`)! });
  }
});

beforeEach(async () => {
  folder = await temporaryFolder();
  await cp(published, folder, { recursive: true });
  settings = {
    STORE_URL: 'store',
    LAKE_URL: 'lake',
    LOG_ORIGIN: ORIGIN,
    SIGNING_KEY_FILE: own.privateKey,
    PUBLIC_KEY_FILE: own.publicKey,
  };
});

async function keep(from: string, name: string, to: string): Promise<void> {
  await cp(join(from, name), join(from, to), { recursive: true });
}

async function putBack(name: string): Promise<void> {
  await rm(join(folder, name), { recursive: true });
  await rename(join(folder, `older-${name}`), join(folder, name));
}

const audit = async (command: string) => await auditIn(folder, settings, ...command.split(' '));

/** Runs a command that does its work. */
async function does(command: string): Promise<string> {
  const { status, output, complaint } = await audit(command);
  expect({ command, status, complaint: complaint.replace(/^state\.note is new: .*\n/, '') }).toEqual({
    command,
    status: 0,
    complaint: '',
  });
  return output;
}

async function expectIntact(options = ''): Promise<string> {
  const output = await does(`verify${options}`);
  expect(output).toMatch(/\nIntact\.\n$/);
  return output;
}

const expectDamaged = async () => expect((await audit('verify')).status).toBe(1);

/** The workspace's folder, and its snapshots, oldest first. */
async function workspace(): Promise<{ path: string; ids: string[] }> {
  const [id] = await readdir(join(folder, 'store/workspaces'));
  const path = join(folder, 'store/workspaces', id!);
  return { path, ids: (await readdir(join(path, 'snapshots'))).toSorted() };
}

const damages: [string, (key: string) => boolean][] = [
  ['the checkpoint', (key) => key === 'log/checkpoint'],
  ['the whole log', (key) => key.startsWith('log/')],
  ['all of these', (key) => !/brands/.test(key)],
];
test.each(
  damages.flatMap(([what, isHit]) => (['deleted', 'altered'] as const).map((how) => ({ what, isHit, how }))),
)('$what $how: log complete', async ({ isHit, how }) => {
  for (const key of (await keysOf(directoryStore(join(folder, 'store')))).filter(isHit)) {
    if (how === 'deleted') await rm(join(folder, 'store', key));
    else await writeFile(join(folder, 'store', key), 'altered');
  }
  await expectDamaged();
  await does('log complete');
  await expectIntact();
});

test('documents deleted and altered: rebuild --repair', async () => {
  const { path, ids } = await workspace();
  await rm(join(path, 'snapshots', ids[0]!, 'brands'), { recursive: true });
  await writeFile(join(path, 'snapshots', ids[2]!, 'brands.json'), 'altered');
  await expectDamaged();
  expect(await does('rebuild --all --repair')).toContain('document was written again');
  await expectIntact();
});

test('documents that cannot be computed again: rebuild --repair says so, and withdraw --all-lost', async () => {
  const { path, ids } = await workspace();
  for (const id of ids.slice(0, 2)) await rm(join(path, 'snapshots', id, 'brands'), { recursive: true });
  await rm(join(folder, 'lake/runs'), { recursive: true });
  expect(await audit('rebuild --all --repair')).toMatchObject({ status: 1 });
  const [id] = await readdir(join(folder, 'store/workspaces'));
  expect(await does(`withdraw --all-lost --reason lost --workspace ${id}`)).toBe(
    `${ids[0]}: withdrawn, lost\n${ids[1]}: withdrawn, lost\n`,
  );
  expect((await expectIntact()).match(/^lost: /gm)).toHaveLength(2);
});

test('the store was lost: log complete, then rebuild --repair', async () => {
  await rm(join(folder, 'store'), { recursive: true });
  await mkdir(join(folder, 'store'));
  await does('log complete');
  await expectDamaged();
  await does('rebuild --all --repair');
  await expectIntact();
});

test('the store is an older copy: the job refuses, log complete, then rebuild --repair', async () => {
  await expectIntact(' --state state.note');
  await putBack('store');
  expect((await audit('verify --state state.note')).status).toBe(1);
  const [id] = await readdir(join(folder, 'store/workspaces'));
  const refused = await audit(`withdraw current --reason mistaken --workspace ${id}`);
  expect(refused.complaint).toMatch(/is an older copy: .*"audit log complete"/);
  await does('log complete');
  await does('rebuild --all --repair');
  await expectIntact(' --state state.note');
});

test.each(['lost', 'older'])('the lake is %s: log complete --from-store', async (what) => {
  await cp(join(folder, 'store/log/checkpoint'), join(folder, 'kept.note'));
  if (what === 'older') await putBack('lake');
  else await rm(join(folder, 'lake/log'), { recursive: true });
  expect((await audit('prune --keep 1 --yes')).status).toBe(1);
  await does('log complete --from-store --checkpoint kept.note');
  await expectIntact(' --checkpoint kept.note');
  await does('prune --keep 1 --yes');
  await expectIntact(' --checkpoint kept.note');
});

test('both are older than a kept checkpoint: log restart', async () => {
  await expectIntact(' --state state.note');
  await putBack('store');
  await putBack('lake');
  expect(await audit('log complete --from-store --checkpoint state.note')).toMatchObject({ status: 1 });
  await does('log restart --origin new.example/log');
  settings['LOG_ORIGIN'] = 'new.example/log';
  expect((await audit('verify --state state.note')).output).toContain('log_rewritten');
  await rm(join(folder, 'state.note'));
  await expectIntact(' --state state.note');
  expect(await readdir(join(folder, 'store/log-old'))).toHaveLength(1);
});

test('a key leaked: rotate; from then on readers need the new key only', async () => {
  await expectIntact(' --state state.note');
  await does(`rotate --to ${next.privateKey}`);
  await expectIntact(' --state state.note');
  settings['PUBLIC_KEY_FILE'] = next.publicKey;
  await expectIntact(' --state state.note');
  expect((await audit('prune --keep 1 --yes')).complaint).toMatch(/the log is signed with the key/);
  settings['SIGNING_KEY_FILE'] = next.privateKey;
  await does('prune --keep 1 --yes');
  await expectIntact(' --state state.note');
});

test('readers accepted a branch of the thief: rotate, log restart, the new LOG_ORIGIN', async () => {
  const thief = await auditIn(
    folder,
    { ...settings, STORE_URL: 'older-store', LAKE_URL: 'older-lake' },
    'prune',
    '--keep',
    '1',
    '--yes',
  );
  expect(thief.status).toBe(0);
  await rm(join(folder, 'store'), { recursive: true });
  await keep(folder, 'older-store', 'store');
  await expectIntact(' --state state.note');
  expect((await audit(`rotate --to ${next.privateKey}`)).complaint).toMatch(
    /signed with our key and is not part of the log/,
  );
  await rm(join(folder, 'store/log/checkpoint'));
  await does(`rotate --to ${next.privateKey}`).catch(async () => {
    await does('log complete');
    await does(`rotate --to ${next.privateKey}`);
  });
  settings['SIGNING_KEY_FILE'] = next.privateKey;
  settings['PUBLIC_KEY_FILE'] = next.publicKey;
  await does('log restart --origin new.example/log');
  settings['LOG_ORIGIN'] = 'new.example/log';
  await does('rebuild --all --repair');
  await rm(join(folder, 'state.note'));
  await expectIntact(' --state state.note');
});

test('a published week was wrong: withdraw --reason mistaken; the one before is current', async () => {
  const { ids } = await workspace();
  const [id] = await readdir(join(folder, 'store/workspaces'));
  await does(`withdraw current --reason mistaken --workspace ${id}`);
  expect(await expectIntact()).toMatch(/^mistaken: /m);
  const { snapshots } = JSON.parse(await does('list --json')) as {
    snapshots: { snapshotId: string; isCurrent: boolean }[];
  };
  expect(snapshots.find(({ isCurrent }) => isCurrent)!.snapshotId).toBe(ids[1]);
});

test('an older state that was put back heals when the rest is put back', async () => {
  await expectIntact(' --state state.note');
  await rename(join(folder, 'store'), join(folder, 'newer-store'));
  await rename(join(folder, 'older-store'), join(folder, 'store'));
  const state = await readFile(join(folder, 'state.note'), 'utf8');
  for (const place of ['', ' --store older-place']) {
    await keep(folder, 'store', 'older-place');
    const { status, output } = await audit(`verify --state state.note${place}`);
    expect([status, output]).toEqual([1, expect.stringContaining('log_rewritten') as string]);
  }
  expect(await readFile(join(folder, 'state.note'), 'utf8')).toBe(state);
  await rm(join(folder, 'store'), { recursive: true });
  await rename(join(folder, 'newer-store'), join(folder, 'store'));
  await expectIntact(' --state state.note');
});
