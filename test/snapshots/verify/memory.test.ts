import { generateKeyPairSync, sign } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { CHECKPOINT_KEY, cosignedKey, timestampKey } from '../../../snapshots/layout.ts';
import { cosign, parseCheckpoint } from '../../../snapshots/log/notes/checkpoint.ts';
import {
  COSIGNATURE,
  COSIGNATURE_ML_DSA_44,
  formatNote,
  formatVerifierKey,
  mlDsaMessage,
  verifierKey,
} from '../../../snapshots/log/notes/note.ts';
import type { NoteSignature } from '../../../snapshots/log/notes/note.ts';
import { parsePolicy } from '../../../snapshots/log/notes/policy.ts';
import type { VerifyOptions } from '../../../snapshots/verify/report.ts';
import { withdrawSnapshots } from '../../../snapshots/withdraw/withdraw.ts';
import { copyOf, newSigner, putBack } from '../log/places.ts';
import type { Place } from '../log/places.ts';
import { publishWeek } from '../publish.ts';
import {
  auditedPlace,
  documentOf,
  kindsOf,
  otherId,
  problemsAfter,
  verified,
  workspaceId,
} from './audited.ts';
import type { Audited } from './audited.ts';

const DAY = 86_400_000;
const now = Date.UTC(2026, 10, 23, 12);
let audited: Audited;
/** The place, and what it was two entries before. */
let place: Place;
let older: Place;

beforeAll(async () => {
  audited = await auditedPlace();
  older = audited.place;
  place = copyOf(older);
  await publishWeek(place, workspaceId, '2026-11-23');
});

const headOf = ({ objects }: Place) => parseCheckpoint(objects.store.get(CHECKPOINT_KEY)!, 'it');
const keptOf = (from: Place) => [{ head: headOf(from), name: 'kept' }];
const kinds = async (at: Place, options: Partial<VerifyOptions>) =>
  kindsOf((await verified(at, { now, ...options })).problems);

describe('a kept checkpoint', () => {
  test('is continued by the log, at any later time', async () => {
    for (const kept of [older, place]) expect(await kinds(place, { kept: keptOf(kept) })).toEqual([]);
  });

  test('finds an older state of the whole store that was put back, and none when the rest is there again', async () => {
    const copy = copyOf(place);
    putBack(copy, older);
    expect(await kinds(copy, {})).toEqual([]);
    expect(await kinds(copy, { kept: keptOf(place) })).toEqual(['log_rewritten']);
    putBack(copy, place);
    expect(await kinds(copy, { kept: keptOf(place) })).toEqual([]);
  });

  test('finds a fork of equal, of smaller and of larger size, which the key signed', async () => {
    const fork = copyOf(older);
    await publishWeek(fork, otherId, '2026-11-23');
    expect(headOf(fork).size).toBe(headOf(place).size);
    expect(await kinds(fork, {})).toEqual([]);
    expect(await kinds(fork, { kept: keptOf(place) })).toEqual(['log_rewritten']);
    await publishWeek(fork, otherId, '2026-11-30');
    expect(await kinds(fork, { kept: keptOf(place) })).toEqual(['log_rewritten']);
    expect(await kinds(place, { kept: keptOf(fork) })).toEqual(['log_rewritten']);
  });

  test('of another log is a problem', async () => {
    const kept = [{ head: { ...headOf(place), origin: 'other.example/log' }, name: 'kept' }];
    expect(await kinds(place, { kept })).toEqual(['log_rewritten']);
  });

  test.each<[string, Partial<VerifyOptions>]>([
    [
      'a kept checkpoint',
      { kept: [{ head: { origin: 'x', size: 1, root: Buffer.alloc(32) }, name: 'kept' }] },
    ],
    ['a policy', { policy: parsePolicy('quorum none\n', 'policy') }],
  ])('or %s is never skipped because the log is gone', async (_, options) => {
    const withoutLog = copyOf(place);
    for (const key of withoutLog.objects.store.keys())
      if (key.startsWith('log/')) withoutLog.objects.store.delete(key);
    for (const which of [{}, { workspaceId }, { select: () => ({ workspaceId, snapshotId: 'x' }) }])
      expect(await kinds(withoutLog, { ...options, ...which })).toEqual(['log_missing']);
    withoutLog.objects.store.clear();
    expect(await kinds(withoutLog, { ...options, allowEmpty: true })).toEqual(['log_missing']);
  });

  test('is compared although only one workspace, or one snapshot, is read', async () => {
    const snapshotId = audited.ids[3]!;
    for (const which of [{ workspaceId }, { select: () => ({ workspaceId, snapshotId }) }]) {
      expect(await kinds(older, { kept: keptOf(place), ...which })).toEqual(['log_rewritten']);
      expect(await kinds(place, { policy: policyOf('any', 'x'), ...which })).toEqual(['log_without_quorum']);
      const damage = (copy: Place) => copy.objects.store.delete(documentOf(otherId, audited.mistakenId));
      expect(await problemsAfter(place, (_, copy) => damage(copy), which)).toEqual([]);
    }
  });
});

/** Of witnesses without keys that anybody has. */
function policyOf(threshold: string, ...names: string[]) {
  const lines = names.map((name) => {
    const { publicKey } = generateKeyPairSync('ed25519');
    return `witness ${name} ${formatVerifierKey(verifierKey(name, COSIGNATURE, publicKey))}`;
  });
  return parsePolicy(
    [...lines, `group all-of-them ${threshold} ${names.join(' ')}`, 'quorum all-of-them'].join('\n'),
    'policy',
  );
}

test('an age that the newest entry may have is a limit', async () => {
  expect(await kinds(place, { notOlderThanMs: 9 * DAY, now: now + 8 * DAY })).toEqual([]);
  expect(await kinds(place, { notOlderThanMs: 9 * DAY, now: now + 10 * DAY })).toEqual(['log_old']);
});

test('a time stamp is said to claim a time, with the command that checks it in any copy', async () => {
  const { notes } = await verified(place);
  const { message, objects } = notes.find(({ kind }) => kind === 'time_stamp')!;
  const { size } = headOf(older);
  expect(objects).toEqual([expect.stringMatching(/^log\/stamps\/\d+\/[0-9a-f]{16}\.tsr$/)]);
  expect(objects[0]).not.toBe(timestampKey(size, 'http://other.example'));
  expect(message).toEqual(
    expect.stringMatching(
      new RegExp(
        `^claims a time for ${objects[0]!.split('/')[2]} entries; check, in a copy of the store: openssl ts -verify -digest [0-9a-f]{64} -in ${objects[0]} -CAfile AUTHORITY.pem$`,
      ),
    ),
  );
});

const cosignedBy = (at: Place, signature: NoteSignature) => {
  const { note } = headOf(at);
  return Buffer.from(formatNote({ ...note, signatures: [...note.signatures, signature] }));
};

describe('a policy', () => {
  test('is met by a cosignature of the newest head, in the checkpoint or in a copy', async () => {
    const witness = await newSigner();
    const vkey = formatVerifierKey(verifierKey('w.example', COSIGNATURE, witness.publicKey));
    const policy = parsePolicy(`witness w ${vkey}\nquorum w\n`, 'policy');
    const bytes = cosignedBy(place, cosign(headOf(place).note.text, 'w.example', witness, now));
    const { size } = headOf(place);
    for (const key of [CHECKPOINT_KEY, cosignedKey(size, sha256(bytes))]) {
      const copy = copyOf(place);
      copy.objects.store.set(key, bytes);
      const { problems, notes } = await verified(copy, { policy, now });
      expect([problems, kindsOf(notes)]).toEqual([[], expect.arrayContaining(['cosigned'])]);
    }
    expect(await kinds(place, { policy })).toEqual(['log_without_quorum']);
  });

  test('is met by an older head while the entries after it are young', async () => {
    const witness = await newSigner();
    const vkey = formatVerifierKey(verifierKey('w.example', COSIGNATURE, witness.publicKey));
    const policy = parsePolicy(`witness w ${vkey}\nquorum w\n`, 'policy');
    const bytes = cosignedBy(older, cosign(headOf(older).note.text, 'w.example', witness, now));
    const copy = copyOf(place);
    copy.objects.store.set(cosignedKey(headOf(older).size, sha256(bytes)), bytes);
    expect(await kinds(copy, { policy, now })).toEqual([]);
    expect(await kinds(copy, { policy, now: now + 2 * DAY })).toEqual(['log_without_quorum']);
    expect(await kinds(copy, { policy, now: now + 2 * DAY, cosignedWithinMs: 3 * DAY })).toEqual([]);
  });

  test('counts a cosignature with ML-DSA-44, and rejects one over another head', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ml-dsa-44');
    const key = verifierKey('pq.example', COSIGNATURE_ML_DSA_44, publicKey);
    const policy = parsePolicy(`witness pq ${formatVerifierKey(key)}\nquorum pq\n`, 'policy');
    const signatureOver = (text: string): NoteSignature => {
      const time = Buffer.alloc(8);
      time.writeBigUInt64BE(1_800_000_000n);
      const message = mlDsaMessage(text, 1_800_000_000n, 'pq.example')!;
      return {
        keyName: key.name,
        keyId: key.keyId,
        bytes: Buffer.concat([time, sign(null, message, privateKey)]),
      };
    };
    for (const [signed, expected] of [
      [place, []],
      [older, ['log_unsigned', 'log_without_quorum']],
    ] as const) {
      const copy = copyOf(place);
      copy.objects.store.set(CHECKPOINT_KEY, cosignedBy(place, signatureOver(headOf(signed).note.text)));
      expect(await kinds(copy, { policy })).toEqual(expected);
    }
  });
});

test('a withdrawal is a note from then on', async () => {
  const copy = copyOf(place);
  await withdrawSnapshots(copy, { workspaceId, which: 'all', reason: 'removed' });
  const { problems, notes } = await verified(copy);
  expect([problems, kindsOf(notes)]).toEqual([[], ['mistaken', 'removed', 'time_stamp']]);
});
