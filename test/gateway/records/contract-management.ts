import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { newKey, storedForm } from '../../../gateway/records/keys.ts';
import type { WorkspaceSettings } from '../../../gateway/records/records.ts';
import { one, two } from './each-records.ts';
import type { EachRecords } from './each-records.ts';

/** Creating, listing and revoking keys and workspaces, in any database. */
export function describeManagement(each: EachRecords): void {
  const { setPlan, makeKey, standingOf } = each;

  test('only the hash and the first 12 characters of a key are stored', async () => {
    await setPlan('agency');
    const key = newKey();
    const stored = storedForm(key);
    expect(stored).toEqual({
      hash: createHash('sha256').update(key).digest('hex'),
      prefix: key.slice(0, 12),
    });
    // SQLite stores the label directly after the prefix: it must not begin with a hexadecimal digit, like the key's
    // next.
    await each.records.createKey(one, stored, 'weekly');
    const dump = await each.fixture.dump();
    expect(dump).toContain(stored.hash);
    expect(dump).toContain(key.slice(0, 12));
    expect(dump).not.toContain(key.slice(0, 13));
  });

  test('keys are listed oldest first, with label, and without hash; none is created if its prefix is taken', async () => {
    await setPlan('agency');
    await each.records.createKey(one, storedForm(newKey()), 'first');
    const { prefix } = storedForm(newKey());
    await each.records.createKey(one, { hash: storedForm(newKey()).hash, prefix }, 'second');
    expect(await each.records.createKey(one, { hash: storedForm(newKey()).hash, prefix }, null)).toBeNull();
    const keys = await each.records.listKeys(one);
    expect(keys.map(({ label }) => label)).toEqual(['first', 'second']);
    expect(keys[0]).not.toHaveProperty('hash');
  });

  test('failures name the workspace or the key', async () => {
    await setPlan('agency');
    const { prefix } = await makeKey();
    await expect(each.records.createKey(two, storedForm(newKey()), null)).rejects.toThrow(
      `no workspace ${two}`,
    );
    await expect(each.records.listKeys(two)).rejects.toThrow(`no workspace ${two}`);
    await expect(each.records.revokeKey('vis_00000000')).rejects.toThrow('no key begins with vis_00000000');
    expect(await each.records.revokeKey(prefix)).toMatchObject({
      prefix,
      revokedAt: expect.any(String) as string,
    });
    await expect(each.records.revokeKey(prefix)).rejects.toThrow(`${prefix} was revoked already`);
  });

  test('workspaces are listed by id, with their active keys', async () => {
    await setPlan('scale', null, two);
    await setPlan('starter', 5);
    await makeKey(two);
    const { prefix } = await makeKey(two);
    await each.records.revokeKey(prefix);
    expect(await each.records.listWorkspaces()).toEqual([
      { id: one, name: 'One', plan: 'starter', includesApi: false, requestsPerMinute: null, activeKeys: 0 },
      { id: two, name: 'One', plan: 'scale', includesApi: true, requestsPerMinute: 120, activeKeys: 1 },
    ]);
  });

  test('a setting that is not given keeps its value, and a new workspace needs a name and a plan', async () => {
    const set = async (settings: Omit<WorkspaceSettings, 'id'>) =>
      await each.records.setWorkspace({ id: one, ...settings });
    await expect(set({ name: 'One' })).rejects.toThrow('to create it, give --name and --plan');
    await expect(set({ plan: 'scale' })).rejects.toThrow('to create it, give --name and --plan');
    expect(await each.records.listWorkspaces()).toEqual([]);
    await set({ name: 'One', plan: 'scale', requestsPerMinute: 5000 });
    const changed = await set({ name: 'One Ltd' });
    expect(changed).toMatchObject({ name: 'One Ltd', plan: 'scale', requestsPerMinute: 5000 });
    expect(await set({ plan: 'agency' })).toMatchObject({ name: 'One Ltd', requestsPerMinute: 5000 });
    expect(await set({ requestsPerMinute: null })).toMatchObject({ plan: 'agency', requestsPerMinute: 60 });
    expect(await set({})).toMatchObject({ name: 'One Ltd', plan: 'agency', requestsPerMinute: 60 });
    const { hash } = await makeKey();
    expect(await standingOf(hash)).toMatchObject({ refused: null, limit: 60 });
  });

  test('the checkpoint of a log is replaced by a larger one only, and can be forgotten', async () => {
    const { records } = each;
    expect(await records.readCheckpoint('a.example/log')).toBeNull();
    await Promise.all([3, 5, 4].map((size) => records.keepCheckpoint('a.example/log', size, `of ${size}`)));
    await records.keepCheckpoint('a.example/log', 5, 'another of 5');
    await records.keepCheckpoint('b.example/log', 2, 'of 2');
    expect(await records.readCheckpoint('a.example/log')).toBe('of 5');
    const keptAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string;
    const kept = { origin: 'a.example/log', note: 'of 5', keptAt };
    expect(await records.listCheckpoints()).toEqual([
      kept,
      { ...kept, origin: 'b.example/log', note: 'of 2' },
    ]);
    expect(await records.forgetCheckpoint('a.example/log')).toEqual(kept);
    await expect(records.forgetCheckpoint('a.example/log')).rejects.toThrow(
      'no checkpoint is kept of the log a.example/log',
    );
    await records.keepCheckpoint('a.example/log', 1, 'of 1');
    expect(await records.readCheckpoint('a.example/log')).toBe('of 1');
  });
}
