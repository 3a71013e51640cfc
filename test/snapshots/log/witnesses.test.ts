import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { appendToLog } from '../../../snapshots/log/append.ts';
import { parseVerifierKey } from '../../../snapshots/log/notes/note.ts';
import { parsePolicy } from '../../../snapshots/log/notes/policy.ts';
import { readCheckpoint } from '../../../snapshots/log/read.ts';
import { collectCosignatures } from '../../../snapshots/log/witness/cosignatures.ts';
import { witnessOnce } from '../../../snapshots/log/witness/witness.ts';
import { openState } from '../../../snapshots/verify/state.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { startWitness } from '../../support/witness.ts';
import { makeTestKeys } from '../history.ts';
import { ORIGIN, makePlace, publishedOf, verifiedLog } from './histories.ts';
import type { Place } from './histories.ts';

async function witnessesOf({ folder, keys }: Place, ...names: string[]) {
  return await Promise.all(
    names.map(async (name) => {
      const { signer } = await makeTestKeys(folder, name);
      const witness = await startWitness(`${name}.example`, signer, {
        origin: ORIGIN,
        publicKey: keys.signer.publicKey,
      });
      onTestFinished(() => witness.close());
      return witness;
    }),
  );
}

const withKeys = (witnesses: readonly { url: string; vkey: string }[]) =>
  witnesses.map(({ url, vkey }) => ({ url, key: parseVerifierKey(vkey) }));

function policyOf(witnesses: readonly { vkey: string }[], threshold: string) {
  const lines = witnesses.map(({ vkey }, index) => `witness w${index} ${vkey}`);
  const names = witnesses.map((_, index) => `w${index}`).join(' ');
  return parsePolicy(
    [...lines, `group all-of-them ${threshold} ${names}`, 'quorum all-of-them', ''].join('\n'),
    'policy',
  );
}

describe('witnesses', () => {
  test('cosign each head after a proof that the log only grew, and a policy can require them', async () => {
    const place = await makePlace();
    const witnesses = await witnessesOf(place, 'a', 'b');
    for (const [round, weeks] of [3, 259, 700].entries()) {
      await appendToLog(place.appending([weeks]));
      const outcomes = await collectCosignatures(place.store, withKeys(witnesses));
      expect(outcomes.map(({ failure }) => failure)).toEqual([null, null]);
      expect(witnesses[0]!.requests).toBe(round === 0 ? 1 : 2 * round + 1);
      const report = await verifiedLog(place.store, {
        trust: place.keys.trust,
        seen: [],
        policy: policyOf(witnesses, 'all'),
        published: publishedOf([weeks]),
      });
      expect(report.problems).toEqual([]);
      expect(report.notes.map(({ kind }) => kind)).toEqual(['log_cosigned', 'log_cosigned']);
    }
  });

  test('that know a newer head from another append are asked about that one', async () => {
    const place = await makePlace();
    const witnesses = await witnessesOf(place, 'a');
    await appendToLog(place.appending([2]));
    let isFirst = true;
    const slow: typeof fetch = async (...request) => {
      if (isFirst) {
        isFirst = false;
        await appendToLog(place.appending([3]));
        await collectCosignatures(place.store, withKeys(witnesses));
      }
      return await fetch(...request);
    };
    const [outcome] = await collectCosignatures(place.store, withKeys(witnesses), slow);
    expect(outcome!.failure).toBeNull();
    const { size, note } = (await readCheckpoint(place.store))!;
    expect([size, note.signatures.length]).toEqual([3, 2]);
  });

  test('never forget a head, or cosign an older one, because of another run at any step', async () => {
    for (let step = 1, isDisturbed = true; isDisturbed; step += 1) {
      const { folder, store, keys, appending } = await makePlace();
      const state = openState(join(folder, 'seen.json'));
      await appendToLog(appending([2]));
      let steps = 0;
      const after = async () => {
        steps += 1;
        if (steps !== step) return;
        await appendToLog(appending([3]));
        await witnessOnce(store, state, keys.trust);
      };
      const watched = { ...state, store: interposedStore(state.store, { after }) };
      const run = witnessOnce(interposedStore(store, { after }), watched, keys.trust);
      const complaint = await run.then(() => '', String);
      expect(complaint).toMatch(/^$|by another run of witness meanwhile/);
      isDisturbed = steps >= step;
      const { sizeBefore } = await witnessOnce(store, state, keys.trust);
      expect(sizeBefore).toBe(isDisturbed ? 3 : 2);
    }
  });

  test('that fail are reported and asked again, and a missing quorum is a problem', async () => {
    const place = await makePlace();
    const witnesses = await witnessesOf(place, 'a', 'b');
    await appendToLog(place.appending([5]));
    witnesses[1]!.failing = 500;
    const outcomes = await collectCosignatures(place.store, withKeys(witnesses));
    expect(outcomes.map(({ failure }) => failure)).toEqual([null, 'it responded with status 500']);
    const verifyWith = async (threshold: string) =>
      (
        await verifiedLog(place.store, {
          trust: place.keys.trust,
          seen: [],
          policy: policyOf(witnesses, threshold),
          published: publishedOf([5]),
        })
      ).problems.map(({ kind }) => kind);
    expect(await verifyWith('any')).toEqual([]);
    expect(await verifyWith('all')).toEqual(['log_without_quorum']);
    witnesses[1]!.failing = null;
    await collectCosignatures(place.store, withKeys(witnesses));
    expect(await verifyWith('all')).toEqual([]);
    expect((await readCheckpoint(place.store))!.note.signatures).toHaveLength(3);
  });

  test('refuse a log that was rewritten, although its key signed it', async () => {
    const [place, rewritten] = [await makePlace(), await makePlace()];
    const witnesses = withKeys(await witnessesOf(place, 'a'));
    await appendToLog(place.appending([12]));
    await collectCosignatures(place.store, witnesses);
    await appendToLog({ ...rewritten.appending([0, 13]), signer: place.keys.signer });
    const [outcome] = await collectCosignatures(rewritten.store, witnesses);
    expect(outcome!.failure).toMatch(/not the one that it saw before/);
    const shorter = await makePlace();
    await appendToLog({ ...shorter.appending([11]), signer: place.keys.signer });
    const [second] = await collectCosignatures(shorter.store, witnesses);
    expect(second!.failure).toMatch(/has seen a tree of 12 entries/);
  });

  test('cannot make others reject the checkpoint: a line in the name of the log is dropped', async () => {
    const place = await makePlace();
    await appendToLog(place.appending([2]));
    const [own] = (await readCheckpoint(place.store))!.note.signatures;
    const id = Buffer.from(own!.keyId, 'hex');
    const line = `\u2014 ${ORIGIN} ${Buffer.concat([id, Buffer.alloc(72, 1)]).toString('base64')}\n`;
    const request = async () => new Response(line, { status: 200 });
    await collectCosignatures(place.store, [{ url: 'http://witness.example', key: null }], request);
    expect((await readCheckpoint(place.store))!.note.signatures).toEqual([own]);
  });
});
