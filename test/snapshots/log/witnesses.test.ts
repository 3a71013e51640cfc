import { describe, expect, onTestFinished, test } from 'vitest';
import { CHECKPOINT_KEY } from '../../../snapshots/layout.ts';
import { readLog } from '../../../snapshots/log/follow.ts';
import { COSIGNATURE_BYTES, COSIGNATURE_ML_DSA_44 } from '../../../snapshots/log/notes/note.ts';
import { readCheckpoint } from '../../../snapshots/log/read.ts';
import { rotateLog } from '../../../snapshots/log/write/commit.ts';
import { collectCosignatures } from '../../../snapshots/log/witness/cosignatures.ts';
import { startWitness } from '../../support/witness.ts';
import { expectComplete } from './intact.ts';
import { newSigner, placeOf, publishAll } from './places.ts';
import type { Place } from './places.ts';

async function witnessesOf({ origin, signer }: Place, ...names: string[]) {
  return await Promise.all(
    names.map(async (name) => {
      const log = { origin, publicKey: signer.publicKey };
      const witness = await startWitness(`${name}.example`, await newSigner(), log);
      onTestFinished(() => witness.close());
      return witness;
    }),
  );
}

const urlsOf = (witnesses: readonly { url: string }[]) => witnesses.map(({ url }) => url);

const range = (count: number) => Array.from({ length: count }, (_, number) => number);
const newPlace = async () => placeOf(await newSigner());

describe('witnesses', () => {
  test('cosign each head after a proof that the log only grew, and the next commit begins anew', async () => {
    const place = await newPlace();
    const witnesses = await witnessesOf(place, 'a', 'b');
    for (const [week, count] of [3, 256, 80].entries()) {
      await publishAll(place, week, range(count));
      expect((await readCheckpoint(place.store))!.note.signatures).toHaveLength(1);
      const outcomes = await collectCosignatures(place.store, urlsOf(witnesses));
      expect(outcomes.map(({ failure }) => failure)).toEqual([null, null]);
      expect(witnesses[0]!.requests).toBe(week === 0 ? 1 : 2 * week + 1);
      expect((await readCheckpoint(place.store))!.note.signatures).toHaveLength(3);
      await expectComplete(place);
    }
  });

  test('that know a newer head from another commit are asked about that one', async () => {
    const place = await newPlace();
    const witnesses = await witnessesOf(place, 'a');
    await publishAll(place, 0, [0]);
    let isFirst = true;
    const slow: typeof fetch = async (...request) => {
      if (isFirst) {
        isFirst = false;
        await publishAll(place, 1, [0]);
        await collectCosignatures(place.store, urlsOf(witnesses));
      }
      return await fetch(...request);
    };
    const [outcome] = await collectCosignatures(place.store, urlsOf(witnesses), slow);
    expect(outcome!.failure).toBeNull();
    const { size, note } = (await readCheckpoint(place.store))!;
    expect([size, note.signatures.length]).toEqual([4, 2]);
  });

  test('that fail are reported and asked again', async () => {
    const place = await newPlace();
    const witnesses = await witnessesOf(place, 'a', 'b');
    await publishAll(place, 0, [0]);
    witnesses[1]!.failing = 500;
    const outcomes = await collectCosignatures(place.store, urlsOf(witnesses));
    expect(outcomes.map(({ failure }) => failure)).toEqual([null, 'it responded with status 500']);
    witnesses[1]!.failing = null;
    await collectCosignatures(place.store, urlsOf(witnesses));
    expect((await readCheckpoint(place.store))!.note.signatures).toHaveLength(3);
  });

  test('refuse a log that was rewritten, although its key signed it', async () => {
    const place = await newPlace();
    const witnesses = urlsOf(await witnessesOf(place, 'a'));
    await publishAll(place, 0, range(11));
    await collectCosignatures(place.store, witnesses);
    const rewritten = placeOf(place.signer);
    await publishAll(rewritten, 1, range(12));
    const [outcome] = await collectCosignatures(rewritten.store, witnesses);
    expect(outcome!.failure).toMatch(/not the one that it saw before/);
    const shorter = placeOf(place.signer);
    await publishAll(shorter, 0, range(10));
    const [second] = await collectCosignatures(shorter.store, witnesses);
    expect(second!.failure).toMatch(/has seen a tree of 12 entries/);
  });

  test('cannot make the checkpoint larger than readers accept', async () => {
    const place = await newPlace();
    await publishAll(place, 0, [0]);
    const linesOf = (url: string) =>
      range(16).map((key) => {
        const bytes = Buffer.alloc(4 + COSIGNATURE_BYTES[COSIGNATURE_ML_DSA_44], key);
        return `\u2014 ${new URL(url).host} ${bytes.toString('base64')}\n`;
      });
    const request = (url: unknown) => Promise.resolve(new Response(linesOf(String(url)).join('')));
    const witnesses = range(6).map((number) => `http://w${number}.example`);
    await collectCosignatures(place.store, witnesses.slice(0, 1), request);
    expect((await readCheckpoint(place.store))!.note.signatures).toHaveLength(1 + 4);
    const before = place.objects.store.get(CHECKPOINT_KEY);
    const tooMany = collectCosignatures(place.store, witnesses, request);
    await expect(tooMany).rejects.toThrow('log/checkpoint has too many cosignatures: name fewer witnesses');
    expect(place.objects.store.get(CHECKPOINT_KEY)).toEqual(before);
    await expectComplete(place);
  });

  test('cannot make others reject the checkpoint: a line in the name of the log is dropped', async () => {
    const place = await newPlace();
    await publishAll(place, 0, [0]);
    await rotateLog(place, await newSigner());
    const { signatures } = (await readCheckpoint(place.store))!.note;
    expect(signatures).toHaveLength(2);
    const lines = signatures.map(({ keyName, keyId }) => {
      const bytes = Buffer.concat([Buffer.from(keyId, 'hex'), Buffer.alloc(72, 1)]);
      return `\u2014 ${keyName} ${bytes.toString('base64')}\n`;
    });
    const request = () => Promise.resolve(new Response(lines.join(''), { status: 200 }));
    await collectCosignatures(place.store, ['http://witness.example'], request);
    expect((await readCheckpoint(place.store))!.note.signatures).toEqual(signatures);
    expect((await readLog(place.store, place))!.checkpoint.size).toBe(3);
    expect(place.objects.store.has(CHECKPOINT_KEY)).toBe(true);
  });
});
