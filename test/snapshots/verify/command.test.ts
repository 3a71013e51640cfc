import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pointerKey, receiptKey, snapshotPrefix } from '../../../snapshots/layout.ts';
import { partOfDay } from '../../../snapshots/verify/workspace/documents.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { auditIn } from '../audit-program.ts';
import { copyStore, publishSignedHistory, publishWeek, workspaceIds } from '../history.ts';

const [workspaceId] = workspaceIds;
const root = await temporaryFolders()();
const { folder: store, own, ids } = await publishSignedHistory(root);

const audit = async (...options: string[]) => await auditIn(root, {}, ...options);

describe('verify', () => {
  test('of an intact store reports it with status 0, and compares with its state the next time', async () => {
    const copy = join(root, 'with-state');
    await copyStore(store, copy);
    const state = ['--state', join(root, 'states/state.json')];
    const first = await audit('verify', '--store', copy, '--json', '--public-key', own.publicKey, ...state);
    expect([first.status, first.complaint]).toEqual([0, expect.stringContaining('state.json is new: ')]);
    expect(first.json()).toMatchObject({
      isIntact: true,
      checked: { workspaces: 2, documents: 104, signatures: 8 },
    });
    const kept = await readFile(join(root, 'states/state.json'), 'utf8');
    const before = await readFile(join(copy, receiptKey(workspaceId, ids[2]!)));
    await rm(join(copy, snapshotPrefix(workspaceId, ids[3]!)), { recursive: true });
    await writeFile(join(copy, pointerKey(workspaceId)), before);
    expect((await audit('verify', '--store', copy)).status).toBe(0);
    const again = await audit('verify', '--store', copy, ...state);
    expect([again.status, again.complaint]).toEqual([1, '']);
    expect(again.output).toMatch(
      /^replaced .*the newest that the state file recorded, is no longer in the chain$/m,
    );
    expect(again.output).toMatch(/^replaced: The newest snapshot that the state file recorded/m);
    expect(await readFile(join(root, 'states/state.json'), 'utf8')).toBe(kept);
  });

  test('of an empty store or a wrong prefix is not intact, unless that is expected', async () => {
    const empty = join(root, 'empty');
    await mkdir(empty, { recursive: true });
    const refused = await audit('verify', '--store', empty, '--json');
    expect(refused).toMatchObject({ status: 1 });
    expect(refused.json()).toMatchObject({ problems: [{ kind: 'no_snapshots' }], heads: [] });
    expect((await audit('verify', '--store', empty, '--allow-empty')).status).toBe(0);
  });

  test('reads every document of old weeks in one of N parts, and those of the newest in each', async () => {
    const harmed = join(root, 'harmed-subset');
    await copyStore(store, harmed);
    const key = `${snapshotPrefix(workspaceId, ids[1]!)}brands.json`;
    await writeFile(join(harmed, key), 'altered');
    const found: number[] = [];
    const counts: number[] = [];
    for (const part of [1, 2, 3, 4]) {
      const options = ['--store', harmed, '--read-data-subset', `${part}/4`, '--json'];
      const report = (await audit('verify', ...options)).json() as unknown as {
        problems: unknown[];
        checked: { documents: number };
      };
      found.push(report.problems.length);
      counts.push(report.checked.documents);
    }
    expect(found.filter((problems) => problems > 0)).toEqual([1]);
    // 13 documents of each of the two newest snapshots in every part, 78 of the others in one part each.
    expect(counts.reduce((sum, count) => sum + count)).toBe(4 * 26 + 78);
    for (const wrong of ['5/4', 'today/0', 'tomorrow/4', '/4'])
      expect(await audit('verify', '--read-data-subset', wrong)).toMatchObject({ status: 2 });
    const today = ['--store', harmed, '--read-data-subset', 'today/1', '--json'];
    expect((await audit('verify', ...today)).json()).toMatchObject({ checked: { documents: 104 } });
  });

  test('selects another part each day, and all of them within N days', () => {
    const noon = Date.parse('2026-11-16T12:00:00Z');
    const parts = Array.from({ length: 30 }, (_, day) => partOfDay(noon + day * 86_400_000, 30));
    expect(new Set(parts).size).toBe(30);
    expect([Math.min(...parts), Math.max(...parts)]).toEqual([1, 30]);
    expect(partOfDay(Date.parse('2026-11-16T23:59:59Z'), 30)).toBe(parts[0]);
  });

  test('names problems and their date, with status 1; another week has status 0', async () => {
    const harmed = join(root, 'harmed-verify');
    await copyStore(store, harmed);
    const key = `${snapshotPrefix(workspaceId, ids[1]!)}brands.json`;
    await writeFile(join(harmed, key), 'altered');
    const place = ['--store', harmed, '--workspace', workspaceId];
    const all = await audit('verify', ...place);
    expect(all.status).toBe(1);
    expect(all.output).toContain(`altered (since 2026-11-02T06:00:00.000Z): ${key}: `);
    expect(all.output).toContain('Not intact: 1 problem, the oldest in the snapshot as of 2026-11-02');
    expect((await audit('verify', '2026-11-02', ...place)).status).toBe(1);
    expect((await audit('verify', '2026-11-09', ...place)).status).toBe(0);
  });

  test('writes its result for Prometheus, intact or not; a file that cannot be written is status 3', async () => {
    const file = join(root, 'verify.prom');
    const harmed = join(root, 'harmed-metrics');
    await copyStore(store, harmed);
    await writeFile(join(harmed, snapshotPrefix(workspaceId, ids[1]!), 'brands.json'), 'altered');
    expect((await audit('verify', '--store', store, '--metrics-file', file)).status).toBe(0);
    const sound = await readFile(file, 'utf8');
    expect(sound).toMatch(/^sightline_verify_intact 1$/m);
    expect(sound).toMatch(/^sightline_verify_problems 0$/m);
    expect(sound).toMatch(/^sightline_verify_documents 104$/m);
    expect(sound).toMatch(/^sightline_verify_last_run_timestamp_seconds \d+/m);
    expect((await audit('verify', '--store', harmed, '--metrics-file', file)).status).toBe(1);
    expect(await readFile(file, 'utf8')).toMatch(/^sightline_verify_intact 0$/m);
    expect(await readFile(file, 'utf8')).toMatch(/^sightline_verify_problems 1$/m);
    const nowhere = await audit('verify', '--store', store, '--metrics-file', join(root, 'nowhere/a.prom'));
    expect(nowhere.status).toBe(3);
    expect(nowhere.complaint).toContain('nowhere/a.prom cannot be written');
  });

  test('with a key reports unsigned snapshots, except those older than the first signed one', async () => {
    const folder = join(root, 'late');
    const late = await copyStore(join(root, 'store'), folder);
    const fresh = 'aaaaaaaa-3a6e-4f0f-9c57-0c8f7a5a1c0a';
    await publishWeek(late, fresh, '2026-11-02');
    const place = ['--store', folder, '--workspace', fresh, '--public-key', own.publicKey, '--json'];
    const unsigned = await audit('verify', ...place);
    expect(unsigned.json()).toMatchObject({ problems: [{ kind: 'unsigned' }] });
    await publishWeek(late, fresh, '2026-11-09', own.signer);
    const vouched = await audit('verify', ...place);
    expect(vouched.status).toBe(0);
    expect(vouched.json()).toMatchObject({ problems: [], notes: [{ kind: 'unsigned_history' }] });
  });
});

describe('verify that cannot read has status 3 and one line', () => {
  test.each<[string, (place: string) => Promise<string[]>, RegExp]>([
    ['without a store', async () => ['--store', join(root, 'nowhere')], /nowhere does not exist/],
    [
      'without the key',
      async () => ['--public-key', join(root, 'no.pem')],
      /--public-key: \S+no\.pem cannot be read: ENOENT/,
    ],
    [
      'with a state of another kind',
      async (place) => {
        await writeFile(join(place, '../other.json'), '{"heads":[{"workspaceId":1}]}');
        return ['--state', join(place, '../other.json')];
      },
      /other\.json is not a state of verify: format: .*; heads\.0\.workspaceId: .*string/,
    ],
    [
      'with a hidden state',
      async (place) => ['--state', join(place, '../.state.json')],
      /\.state\.json: the name of the file must not begin with a dot/,
    ],
  ])('%s', async (name, arrange, message) => {
    const harmed = join(root, `unreadable ${name}`, 'store');
    await copyStore(store, harmed);
    const { status, output, complaint } = await audit(
      'verify',
      '--store',
      harmed,
      ...(await arrange(harmed)),
    );
    expect({ status, output }).toEqual({ status: 3, output: '' });
    expect(complaint).toMatch(message);
    expect(complaint.trim().split('\n')).toHaveLength(1);
  });

  test('and wrong usage has status 2', async () => {
    expect(await audit('verify', '--workspace', 'no id')).toMatchObject({ status: 2, output: '' });
  });
});

test('a workspace that was moved and replaced by a symbolic link is verified like any other', async () => {
  const linked = join(root, 'linked');
  await copyStore(store, linked);
  const moved = join(root, 'moved-workspaces');
  await rename(join(linked, 'workspaces'), moved);
  await symlink(moved, join(linked, 'workspaces'));
  expect((await audit('verify', '--store', linked, '--json')).json()).toMatchObject({
    isIntact: true,
    checked: { workspaces: 2, documents: 104 },
  });
  const old = await readFile(join(moved, workspaceId, 'snapshots', ids[1]!, 'receipt.json'));
  await writeFile(join(moved, workspaceId, 'current.json'), old);
  expect((await audit('verify', '--store', linked)).status).toBe(1);
});
