import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { isStale, verifyDocument, verifySnapshot, VerificationError } from '../../../lib/proofs/verify.ts';
import type { DocumentEvidence } from '../../../lib/proofs/verify.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { proveSnapshot } from '../../../snapshots/log/prove.ts';
import { readDocument, readManifest } from '../../../snapshots/read.ts';
import { EMPTY_ROOT, leafHash, nodeHash } from '../../../snapshots/log/tree/merkle.ts';
import { signedHead } from '../../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../../snapshots/log/notes/note.ts';
import { commitToLog } from '../../../snapshots/log/write/commit.ts';
import { sha256 } from '../../../lib/hash.ts';
import { logInMemory } from '../../gateway/gateway.ts';
import { brandIds, makeTestKeys, weeks, workspaceIds } from '../../snapshots/history.ts';
import type { Keys } from '../../snapshots/history.ts';
import { ORIGIN, publishHistory, publishWeek } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { temporaryFolders } from '../../support/folder.ts';

const newFolder = temporaryFolders();
const [workspaceId] = workspaceIds;
const path = `brands/${brandIds[0]}/visibility`;

let log: TestLog;
let other: Keys;
let otherKey: string;
/** Of the first workspace, newest first. */
let weeksRead: DocumentEvidence[];

beforeAll(async () => {
  log = await logInMemory(await newFolder());
  other = await makeTestKeys(await newFolder(), 'other');
  otherKey = await readFile(other.publicKey, 'utf8');
  await publishHistory(log);
  weeksRead = await evidenceOf(log);
});

/** One document of each snapshot of a workspace, newest first, with the proof that the log gives now. */
async function evidenceOf(of: TestLog): Promise<DocumentEvidence[]> {
  const view = (await readLog(of.store, of))!;
  const { publications } = (await readHistory(of.store, view, workspaceId))!;
  const publicKey = await readFile(of.keys.publicKey, 'utf8');
  return await Promise.all(
    publications.toReversed().map(async (publication) => {
      const { snapshotId } = publication;
      const proof = await proveSnapshot(of.store, view.checkpoint, workspaceId, publication);
      const manifest = await readManifest(of.store, workspaceId, publication);
      const document = manifest.documents.find((each) => each.path === `${path}.json`)!;
      const body = (await readDocument(of.store, manifest, document)).toString();
      return { proof, publicKey, snapshotId, path, body, workspaceId };
    }),
  );
}

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
  test('in every week of the history, with one key or several, and the name of the log', async () => {
    expect(weeksRead).toHaveLength(weeks.length);
    for (const [index, evidence] of weeksRead.entries()) {
      const week = weeks.at(-1 - index)!;
      const verified = await verifyDocument(evidence);
      expect(verified).toMatchObject({
        snapshotId: evidence.snapshotId,
        workspaceId,
        sequence: weeks.length - index,
        asOf: `${week}T06:00:00.000Z`,
        publishedAt: `${week}T07:00:00.000Z`,
        methodologyVersion: '1.0',
        signedBy: log.keys.fingerprint,
        // Each of the publications is a commit of two entries.
        log: { origin: ORIGIN, size: 4 * weeks.length, index: 4 * (weeks.length - 1 - index) },
      });
      expect([...verified.documents.keys()]).toContain('brands');
      expect(await verifySnapshot(evidence)).toEqual(verified);
    }
    const [evidence] = weeksRead;
    const body = Buffer.from(evidence!.body);
    for (const publicKey of [otherKey + evidence!.publicKey, evidence!.publicKey + otherKey])
      expect(await faultOf({ ...evidence!, body, publicKey, logOrigin: ORIGIN })).toBe('verified');
  });

  test('after the snapshot was withdrawn, and after a change of the key with the new key only', async () => {
    const later = await logInMemory(await newFolder());
    const ids = await publishHistory(later);
    const draft = { kind: 'withdrawn', workspaceId, snapshotId: ids[0]!, reason: 'pruned' } as const;
    await commitToLog(later, async () => ({ drafts: [draft] }));
    ids.push(await publishWeek(later, workspaceId, '2026-11-23')); // at the edge of a tree that is not full
    await commitToLog(later, async () => ({ drafts: [], nextSigner: other.signer }));
    const rotated = await evidenceOf({ ...later, trust: other.trust, keys: other });
    expect(rotated.map(({ snapshotId }) => snapshotId)).toEqual(ids.toReversed());
    for (const evidence of rotated) expect((await verifyDocument(evidence)).signedBy).toBe(other.fingerprint);
  });
});

test('a current snapshot is stale after nine days', () => {
  const publishedAt = '2026-11-16T07:00:00.000Z';
  expect(isStale({ publishedAt }, Date.parse('2026-11-25T07:00:00Z'))).toBe(false);
  expect(isStale({ publishedAt }, Date.parse('2026-11-25T07:00:01Z'))).toBe(true);
});

/** The error for the newest proof with replaced parts. */
async function changed(change: Partial<Record<keyof DocumentEvidence['proof'], unknown>>): Promise<string> {
  const [evidence] = weeksRead;
  const proof = { ...evidence!.proof, ...change } as DocumentEvidence['proof'];
  return await faultOf({ ...evidence!, proof });
}

/** A proof from a log with one entry, signed with the right key; the entry names the manifest. */
function signedLog(entry: object | null, manifest: string, index = 0, siblings: Buffer[] = []) {
  const text = JSON.stringify(entry && { ...entry, manifestSha256: sha256(manifest) });
  const root = siblings.reduce((below, each) => nodeHash(each, below), leafHash(Buffer.from(text)));
  const head = { origin: ORIGIN, size: 1, root };
  const checkpoint = formatNote(signedHead(head, [log.signer]).note);
  const extra = Buffer.from(text).toString('base64');
  const leafToRoot = siblings.map((each) => `${each.toString('base64')}\n`).join('');
  const inclusionProof = `c2sp.org/tlog-proof@v1\nextra ${extra}\nindex ${index}\n${leafToRoot}\n${checkpoint}`;
  return { manifest, entry: text, inclusionProof, checkpoint };
}

test('a signed entry or manifest that no version of the job writes is refused', async () => {
  const { proof, ...evidence } = weeksRead[0]!;
  const entry = JSON.parse(proof.entry) as object;
  const verdictOn = async (signed: object | null, manifest = proof.manifest) =>
    await faultOf({ ...evidence, proof: signedLog(signed, manifest) });
  expect(await verdictOn(entry)).toBe('verified');
  for (const wrong of [{ ...entry, kind: 'withdrawn' }, { ...entry, sequence: '4' }, null])
    expect(await verdictOn(wrong)).toBe('log: the entry of the log is of another manifest');
  for (const wrong of ['', '{}', proof.manifest.replace('"sha256":"', '"sha256":1,"other":"')])
    expect(await verdictOn(entry, wrong)).toContain('names something that is not a manifest');
  const others = [
    proof.manifest.replace('n":"1.0"', 'n":"2.0"'),
    proof.manifest.replace(/"sha256":"./, '"sha256":"x'),
  ];
  for (const wrong of others)
    expect(await verdictOn(entry, wrong)).toContain('snapshot: the documents in the manifest are those of');
  const ofOne = [signedLog(entry, proof.manifest, 1), signedLog(entry, proof.manifest, 0, [EMPTY_ROOT])];
  for (const wrong of ofOne)
    expect(await faultOf({ ...evidence, proof: wrong })).toContain('does not lead to the head of the log');
  const misplaced = { ...entry, workspaceId: workspaceIds[1] };
  expect(await verdictOn(misplaced)).toContain('snapshot: the snapshot is of the workspace');
  expect(await changed({ inclusionProof: proof.inclusionProof.replace(/.=$/m, 'B=') })).toMatch('malformed');
});

const forged = (proof: object) =>
  JSON.parse(JSON.stringify(proof).replaceAll(/[\w+/]{4}(?=[\w+/=]{4}\\n")/g, 'AAAA')) as never;
describe('refused', () => {
  /** One part of the response, or of the expectation, is replaced. */
  test.each<[string, (evidence: DocumentEvidence) => Partial<DocumentEvidence>, string]>([
    ['a document', ({ body }) => ({ body: `${body as string} ` }), 'document: the document brands/'],
    ['an unknown path', () => ({ path: 'brands/none/visibility' }), 'document: the snapshot has no document'],
    ['another key', () => ({ publicKey: otherKey }), 'signature: the head of the log is not signed with'],
    ['a forged signature', ({ proof }) => ({ proof: forged(proof) }), 'signature: a signature of the public'],
    ['no key', () => ({ publicKey: 'ssh-ed25519 AAAA' }), 'public_key: publicKey has no public key in PEM'],
    ['a broken key', () => ({ publicKey: otherKey.replace(/\n[^-]/, '\n!') }), 'public_key: publicKey has a'],
    ['another workspace', () => ({ workspaceId: workspaceIds[1] }), 'snapshot: the snapshot is of the work'],
    ['another log', () => ({ logOrigin: 'other.example/log' }), `log: the proof is of the log ${ORIGIN}`],
    ['the whole proof of another week', () => ({ proof: weeksRead[1]!.proof }), 'snapshot: the proof is of'],
  ])('%s', async (_what, change, fault) => {
    expect(await faultOf({ ...weeksRead[0]!, ...change(weeksRead[0]!) })).toContain(fault);
  });

  test.each(['manifest', 'entry', 'inclusionProof', 'checkpoint'] as const)(
    'a proof without its %s, with that of another week, or with a changed character of it, wherever it is',
    async (part) => {
      for (const value of [1, null, undefined])
        expect(await changed({ [part]: value })).toBe('log: the proof is malformed');
      const text = weeksRead[0]!.proof[part];
      const others = part === 'checkpoint' ? [] : [weeksRead[1]!.proof[part]]; // one for all weeks
      for (let at = 0; at < text.length; at += Math.ceil(text.length / 300))
        others.push(text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1));
      const verdicts = await Promise.all(others.map(async (value) => await changed({ [part]: value })));
      expect(verdicts).not.toContain('verified');
    },
  );
});
