import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Sightline } from '../../../clients/typescript/src/index.ts';
import { verifyDocument, verifySnapshot, VerificationError } from '../../../clients/typescript/src/verify.ts';
import type { DocumentEvidence } from '../../../clients/typescript/src/verify.ts';
import { systemClock } from '../../../lib/clock.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { appendToLog } from '../../../snapshots/log/append.ts';
import { publishedHistories } from '../../../snapshots/log/histories.ts';
import { setPlan, startListeningGateway } from '../../gateway/gateway.ts';
import { brandIds, makeTestKeys, publishWeek, weeks, workspaceIds } from '../../snapshots/history.ts';
import type { Keys } from '../../snapshots/history.ts';
import { temporaryFolders } from '../../support/folder.ts';

const newFolder = temporaryFolders();

const [workspaceId] = workspaceIds;
const origin = 'sightline.example/log';
const path = `brands/${brandIds[0]}/visibility`;

interface Week {
  evidence: DocumentEvidence;
  /** The proof from before the log contained the snapshot. */
  early: DocumentEvidence;
}

let keys: Keys;
let other: string;
let weeksRead: Week[];

/** Eight snapshots of two workspaces, read through the API before and after they were appended to the log. */
beforeAll(async () => {
  const folder = await newFolder();
  const store = directoryStore(join(folder, 'store'));
  const lake = directoryStore(join(folder, 'lake'));
  keys = await makeTestKeys(folder, 'own');
  other = await readFile((await makeTestKeys(folder, 'other')).publicKey, 'utf8');
  const publicKey = await readFile(keys.publicKey, 'utf8');
  for (const week of weeks) for (const id of workspaceIds) await publishWeek(store, id, week, keys.signer);
  const gateway = await startListeningGateway(systemClock, { store });
  await setPlan(gateway.records, workspaceId, 'agency', 1_000_000);
  const sightline = new Sightline({ baseUrl: gateway.base, apiKey: await gateway.createKey(workspaceId) });
  const { data: snapshots } = await sightline.listSnapshots();
  const read = async (snapshotId: string): Promise<DocumentEvidence> => {
    const { data: proof } = await sightline.getSnapshotProof(snapshotId);
    const { body } = await sightline.getVisibilityOfSnapshot(snapshotId, brandIds[0]);
    return { proof, publicKey, snapshotId, path, body, workspaceId };
  };
  const readEach = () => Promise.all(snapshots.map(async ({ id }) => await read(id)));
  const early = await readEach();
  const { signer, trust } = keys;
  const histories = () => publishedHistories(store, trust);
  await appendToLog({ store, lake, origin, signer, trust, histories });
  weeksRead = (await readEach()).map((evidence, index) => ({ evidence, early: early[index]! }));
  return async () => await gateway.close();
});

/** The error for this evidence. */
async function faultOf(evidence: DocumentEvidence): Promise<string> {
  try {
    await verifyDocument(evidence);
  } catch (error) {
    if (error instanceof VerificationError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'verified';
}

describe('a published document is proved', () => {
  test('every week of the history, in the log and before', async () => {
    expect(weeksRead).toHaveLength(weeks.length);
    for (const [index, { evidence, early }] of weeksRead.entries()) {
      const week = weeks.at(-1 - index)!;
      const verified = await verifyDocument(evidence);
      expect(verified).toMatchObject({
        snapshotId: evidence.snapshotId,
        workspaceId,
        sequence: weeks.length - index,
        asOf: `${week}T06:00:00.000Z`,
        publishedAt: `${week}T07:00:00.000Z`,
        methodologyVersion: '1.0',
        signedBy: keys.fingerprint,
        log: { origin, size: 2 * weeks.length, index: expect.any(Number) },
      });
      expect([...verified.documents.keys()]).toContain('brands');
      expect(await verifyDocument(early)).toEqual({ ...verified, log: null });
      expect(await verifySnapshot(evidence)).toEqual(verified);
    }
    const verified = await Promise.all(weeksRead.map(async ({ evidence }) => await verifyDocument(evidence)));
    expect(new Set(verified.map(({ log }) => log!.index)).size).toBe(weeks.length);
  });

  test('with the bytes, with several keys, and with the log’s name', async () => {
    const { evidence } = weeksRead[0]!;
    const body = Buffer.from(evidence.body);
    expect(
      await faultOf({ ...evidence, body, publicKey: other + evidence.publicKey, logOrigin: origin }),
    ).toBe('verified');
  });
});

/** The error for a proof with replaced parts. */
async function changed(change: Partial<DocumentEvidence['proof']>): Promise<string> {
  const { evidence } = weeksRead[0]!;
  return await faultOf({ ...evidence, proof: { ...evidence.proof, ...change } });
}

async function inclusion(from: string | RegExp, to: string): Promise<string> {
  const before = weeksRead[0]!.evidence.proof.inclusionProof!;
  const inclusionProof = before.replace(from, to);
  if (inclusionProof === before) throw new Error(`${from} is not in the proof`);
  return await changed({ inclusionProof });
}

/** A signature line of the log's key, over something else. */
function wrongLine(): string {
  const line = /\n— \S+ (\S+)\n$/.exec(weeksRead[0]!.evidence.proof.inclusionProof!)![1]!;
  const bytes = Buffer.from(line, 'base64');
  bytes[20]! ^= 1;
  return `— ${origin} ${bytes.toString('base64')}\n`;
}

describe('refused', () => {
  /** One part of the response, or of the expectation, is replaced. */
  const forgeries: [string, (week: Week) => Partial<DocumentEvidence>, string][] = [
    [
      'a document',
      ({ evidence }) => ({ body: `${evidence.body as string} ` }),
      'document: the document brands/',
    ],
    [
      'the document of another kind',
      () => ({ path: path.replace('visibility', 'results') }),
      'document: the document',
    ],
    ['an unknown path', () => ({ path: 'brands/none/visibility' }), 'document: the snapshot has no document'],
    [
      'another key',
      () => ({ publicKey: other }),
      'signature: the snapshot is not signed with the public key',
    ],
    ['no key', () => ({ publicKey: 'ssh-ed25519 AAAA' }), 'public_key: publicKey has no public key in PEM'],
    [
      'a broken key',
      ({ evidence }) => ({ publicKey: evidence.publicKey.replace(/\n[^-]/, '\n!') }),
      'public_key: publicKey has a block',
    ],
    [
      'another snapshot',
      () => ({ snapshotId: weeksRead[1]!.evidence.snapshotId }),
      'snapshot: the proof is of',
    ],
    [
      'another workspace',
      () => ({ workspaceId: workspaceIds[1] }),
      'snapshot: the snapshot is of the workspace',
    ],
    [
      'a proof without the log that is required',
      ({ early }) => ({ ...early, logOrigin: origin }),
      `log: the proof has no log, and ${origin} is required`,
    ],
    ['another log', () => ({ logOrigin: 'other.example/log' }), `log: the proof is of the log ${origin}`],
  ];

  test.each(forgeries)('%s', async (_what, change, fault) => {
    const week = weeksRead[0]!;
    expect(await faultOf({ ...week.evidence, ...change(week) })).toContain(fault);
  });

  test('a proof without its signature, or with one over something else', async () => {
    expect(await changed({ signature: null })).toBe('signature: the snapshot is not signed');
    expect(await changed({ signature: weeksRead[1]!.evidence.proof.signature })).toBe(
      'signature: the signature is not over this manifest',
    );
    const { signature } = weeksRead[0]!.evidence.proof;
    const lax = [`${signature} `, `${signature}!!`, signature!.replace(/=+$/, ''), 'AAAA', ''];
    for (const text of lax)
      expect(await changed({ signature: text })).toBe('signature: the signature is not 64 bytes in base64');
    const { manifest } = weeksRead[0]!.evidence.proof;
    expect(
      await changed({ manifest: manifest.replace('"codeVersion":"test"', '"codeVersion":"best"') }),
    ).toContain('signature: the signature is not over');
    expect(await changed({ manifest: '' })).toContain('signature: ');
    for (const part of ['manifest', 'signature', 'publicKeyFingerprint', 'inclusionProof'])
      expect(await changed({ [part]: 1 })).toBe('signature: the proof is malformed');
  });

  test('a proof of inclusion with any part replaced', async () => {
    expect(await inclusion(/\nindex \d+/, '\nindex 0')).toContain('log: the entry does not lead');
    expect(await inclusion(/\nindex \d+/, '\nindex 99')).toContain('log: the entry does not lead');
    expect(await inclusion(/\nextra (.)/, '\nextra f')).toContain('log: ');
    expect(await inclusion(/(\nindex \d+\n)[^\n]+\n/, '$1')).toContain('log: the entry does not lead');
    expect(await inclusion(/\n8\n/, '\n9\n')).toContain('log: ');
    expect(await inclusion(/— [^\n]+\n/, `— ${origin} AAAAAAAA\n`)).toContain(
      'log: the head of the log is not signed',
    );
    expect(await changed({ inclusionProof: weeksRead[1]!.evidence.proof.inclusionProof })).toBe(
      'log: the entry of the log is of another manifest',
    );
    expect(await inclusion(/$/, wrongLine())).toBe(
      'log: a signature of the public key is not over the head of the log',
    );
    for (const malformed of ['', 'c2sp.org/tlog-proof@v1\n', 'x'.repeat(100_000)])
      expect(await changed({ inclusionProof: malformed })).toBe('log: the proof is malformed');
  });

  test('a proof of inclusion with any byte changed', async () => {
    const { inclusionProof } = weeksRead[0]!.evidence.proof;
    const accepted: number[] = [];
    for (let at = 0; at < inclusionProof!.length; at += 1) {
      const letter = inclusionProof![at] === 'A' ? 'B' : 'A';
      const flipped = inclusionProof!.slice(0, at) + letter + inclusionProof!.slice(at + 1);
      const { evidence } = weeksRead[0]!;
      const forged = { ...evidence, proof: { ...evidence.proof, inclusionProof: flipped } };
      if ((await faultOf(forged)) === 'verified') accepted.push(at);
    }
    expect(accepted).toEqual([]);
  });
});
