import { beforeAll, describe, expect, test } from 'vitest';
import { CHECKPOINT_KEY } from '../../../snapshots/layout.ts';
import { readLog } from '../../../snapshots/log/follow.ts';
import { signedHead } from '../../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../../snapshots/log/notes/note.ts';
import { repairLog } from '../../../snapshots/recover/repair.ts';
import { rotateLog } from '../../../snapshots/log/write/commit.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { usualPlace } from './commands.ts';
import { workspaceOf } from './entries.ts';
import { expectComplete } from './intact.ts';
import { copyOf, expectRefused, newSigner, publishAll } from './places.ts';
import type { Place } from './places.ts';

let signer: Signer;
let next: Signer;
let thief: Signer;
let usual: Place;
beforeAll(async () => {
  [signer, next, thief] = [await newSigner(), await newSigner(), await newSigner()];
  usual = await usualPlace(signer);
});

/** Checkpoints that are not ours, by name. */
const forgeries: [string, (text: string) => string][] = [
  ['that is empty', () => ''],
  ['that is garbage', () => 'x'],
  ['with an altered name', (text) => text.replace('sightline', 'sigitline')],
  ['with another signature', (text) => text.replace(/.{4}\n$/, 'AAA=\n')],
  [
    'with a second, wrong signature',
    (text) =>
      `${text}${text
        .split('\n')
        .at(-2)!
        .replace(/.{3}=*$/, 'AAA=')}\n`,
  ],
  ['of a larger log that a thief signed', () => forged(1000)],
  ['of a smaller log that a thief signed', () => forged(3)],
];

function forged(size: number): string {
  return formatNote(signedHead({ origin: usual.origin, size, root: Buffer.alloc(32, 7) }, [thief]).note);
}

describe('a checkpoint', () => {
  test.each(forgeries)('%s is replaced by the next publication, and by a repair', async (_, forge) => {
    const text = usual.objects.store.get(CHECKPOINT_KEY)!.toString();
    for (const heal of [(place: Place) => publishAll(place, 2, [0]), repairLog]) {
      const place = copyOf(usual);
      place.objects.store.set(CHECKPOINT_KEY, Buffer.from(forge(text)));
      await expect(readLog(place.store, place)).rejects.toThrow(/./);
      await heal(place);
      await expectComplete(place);
    }
  });
});

describe('a rotation', () => {
  test('is a checkpoint of both keys; from then on the new one signs, and readers need no other', async () => {
    const place = copyOf(usual);
    await rotateLog(place, next);
    const rotated = { ...place, signer: next };
    for (const { trust } of [signer, next]) await expectComplete({ ...place, trust });
    await expectRefused(
      place,
      /^the log is signed with the key [0-9a-f]{64}, and SIGNING_KEY_FILE has [0-9a-f]{64}: set it to the key that signs; "audit rotate" changes that$/,
    );
    await expect(repairLog(place)).rejects.toThrow(/^the log is signed with the key/);
    await publishAll(rotated, 2, [0]);
    await expectComplete({ ...rotated, trust: next.trust });
    await expect(readLog(place.store, place)).rejects.toThrow(/not signed with a trusted key/);
  });

  test('whose old key is lost is signed by the new one alone, and the old one signs no more', async () => {
    const place = copyOf(usual);
    const found = { ...place, signer: next, trust: next.trust };
    await expect(rotateLog(found, next)).rejects.toThrow(/^the log is signed with the key/);
    await rotateLog(found, next, true);
    await expectComplete(found);
    await expect(readLog(place.store, place)).rejects.toThrow(/not signed with a trusted key/);
    await expectRefused(place, /^the log is signed with the key/);
    await publishAll(found, 2, [0]);
    expect((await expectComplete(found)).get(workspaceOf(0))).toHaveLength(3);
  });
});

test('another key, and another name, are refused', async () => {
  const other = { ...copyOf(usual), signer: thief };
  await expectRefused(other, /^the log is signed with the key/);
  await expectRefused(
    { ...copyOf(usual), origin: 'other.example/log' },
    /^store has the log sightline\.example\/log, and LOG_ORIGIN is other/,
  );
});
