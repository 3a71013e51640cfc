/** @module-tag long */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newKey, storedForm } from '../../../../gateway/admission/keys.ts';
import { startPostgres } from '../../../support/postgres.ts';
import type { TestPostgres } from '../../../support/postgres.ts';
import { copy, everything, fill, newAddress, one, open, sql, two } from '../copying.ts';
import type { Kind } from '../copying.ts';

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
const make = (kind: Kind) => newAddress(kind, server);

const known = (standings: unknown[]) =>
  standings.map((standing) => {
    const { keyId, workspaceId, standing: kind, limit } = standing as Record<string, unknown>;
    return { keyId, workspaceId, kind, limit };
  });

const kinds: Kind[] = ['sqlite', 'postgres'];
const directions = kinds.flatMap((from) => kinds.map((to) => ({ from, to })));

describe.each(directions)('a copy from $from to $to', ({ from, to }) => {
  async function copied() {
    const [source, target] = [await make(from), await make(to)];
    const keys = await fill(source);
    const report = await copy(source, target);
    return { source, target, keys, report };
  }

  test('contains every row of the source, with the same ids, and does not change the source', async () => {
    const [source, target] = [await make(from), await make(to)];
    await fill(source);
    const before = await everything(source);
    const report = await copy(source, target);
    expect(report).toMatchObject({ isNew: true });
    expect(report.counts.map(({ what, source: s, target: t }) => [what, s, t])).toEqual([
      ['plans', 4, 4],
      ['workspaces', 2, 2],
      ['keys', 3, 3],
      ['revoked keys', 1, 1],
      ['keys used so far', 2, 2],
    ]);
    expect(await everything(target)).toEqual(before);
    expect(await everything(source)).toEqual(before);
    expect((before['keys'] as { id: number }[]).map(({ id }) => id)).toEqual([40, 41, 42]);
  });

  test('admits and lists like the source, and continues its numbers', async () => {
    const { source, target, keys } = await copied();
    const [old, made] = [await open(source), await open(target)];
    for (const id of [one, two]) expect(await made.listKeys(id)).toEqual(await old.listKeys(id));
    expect(await made.listWorkspaces()).toEqual(await old.listWorkspaces());
    const uses = Object.values(keys).map((hash) => ({ hash, requests: 1 }));
    expect(known(await made.admit(uses))).toEqual(known(await old.admit(uses)));
    const created = await made.createKey(one, storedForm(newKey()), null);
    expect(created).toMatchObject({ id: 43 });
    const three = '33333333-3333-4333-8333-333333333333';
    await made.setWorkspace({ id: three, name: 'Three', plan: 'agency', requestsPerMinute: null });
    expect((await made.createKey(three, storedForm(newKey()), null))!.id).toBe(44);
  });

  test('that was made before is not changed, and reported', async () => {
    const { source, target } = await copied();
    const before = await everything(target);
    expect(await copy(source, target)).toMatchObject({ isNew: false });
    expect(await everything(target)).toEqual(before);
  });

  test('is refused if the target has other records, which stay', async () => {
    const { source, target, keys } = await copied();
    const records = await open(source);
    await records.admit([{ hash: keys.unused, requests: 1 }]);
    const before = await everything(target);
    await expect(copy(source, target)).rejects.toThrow(
      /is not empty: 2 workspaces and 3 keys are there, and differ/,
    );
    expect(await everything(target)).toEqual(before);
  });

  test('that fails at its last table leaves the target empty, and can be repeated', async () => {
    const [source, target] = [await make(from), await make(to)];
    await fill(source);
    await (await open(target)).close();
    await sql(
      target,
      "create trigger broken before insert on key_uses when new.key = 42 begin select raise(abort, 'disk on fire'); end",
      `create function broken() returns trigger language plpgsql as $$ begin
         if new.key = 42 then raise 'disk on fire'; end if; return new; end $$;
       create trigger broken before insert on sightline.key_uses for each row execute function broken()`,
    );
    const empty = await everything(target);
    await expect(copy(source, target)).rejects.toThrow('disk on fire');
    expect(await everything(target)).toEqual(empty);
    await sql(target, 'drop trigger broken', 'drop trigger broken on sightline.key_uses');
    expect(await copy(source, target)).toMatchObject({ isNew: true });
  });

  test('is as of one instant, even if gateways change the source meanwhile', async () => {
    const source = await make(from);
    const records = await open(source);
    const hashes: string[] = [];
    for (const id of [one, two]) {
      await records.setWorkspace({ id, name: 'W', plan: 'agency', requestsPerMinute: null });
      const stored = storedForm(newKey());
      await records.createKey(id, stored, null);
      hashes.push(stored.hash);
    }
    const enough = new AbortController();
    const admitting = (async () => {
      // One transaction increments both counts equally.
      while (!enough.signal.aborted) {
        await records.admit(hashes.map((hash) => ({ hash, requests: 1 })));
        await new Promise(setImmediate);
      }
    })();
    try {
      for (let round = 0; round < 5; round += 1) {
        const target = await make(to);
        await copy(source, target);
        const [a, b] = (await everything(target))['counts'] as { minute: number; requests: number }[];
        expect([b!.minute, b!.requests]).toEqual([a!.minute, a!.requests]);
      }
    } finally {
      enough.abort();
      await admitting;
    }
  });
});
