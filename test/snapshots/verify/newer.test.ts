import { beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import {
  CHECKPOINT_KEY,
  committedKey,
  headsKey,
  historyKey,
  manifestKey,
} from '../../../snapshots/layout.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { currentOf, encodeHeads } from '../../../snapshots/log/history.ts';
import { signedHead } from '../../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../../snapshots/log/notes/note.ts';
import { readEntries } from '../../../snapshots/log/read.ts';
import { rootOfEdge } from '../../../snapshots/log/tree/edge.ts';
import { emptyLogEdge, growLog } from '../../../snapshots/log/write/grow.ts';
import { adoptLog } from '../../../snapshots/recover/adopt.ts';
import { repairLog } from '../../../snapshots/recover/repair.ts';
import { workspaceOf } from '../log/entries.ts';
import { newSigner, placeOf, publishAll } from '../log/places.ts';
import type { Place } from '../log/places.ts';
import { verified } from './audited.ts';

// A store of tomorrow: written by hand as a later version might write it, and signed with the log's key.

const own = workspaceOf(0);
let place: Place;
let history: Record<string, unknown> & { publications: Record<string, unknown>[] };
beforeEach(async () => {
  place = placeOf(await newSigner());
  await publishAll(place, 0, [0, 1]);
  const view = (await readLog(place.store, place))!;
  history = structuredClone<unknown>(await readHistory(place.store, view, own)) as typeof history;
});

/** Appends an entry, with the history and the heads that it leads to. */
async function append(entry: Record<string, unknown>, next: typeof history | null): Promise<void> {
  const { store } = place.objects;
  const view = (await readLog(place.store, place))!;
  const heads = new Map(view.heads);
  const at = '2026-11-17T07:00:00.000Z';
  const appended: object[] = [{ ...entry, at }];
  if (next !== null) {
    const bytes = Buffer.from(`${JSON.stringify(next)}\n`);
    heads.set(own, sha256(bytes));
    store.set(historyKey(own, sha256(bytes)), bytes);
    appended[0] = { ...entry, at, workspaceId: own, history: sha256(bytes) };
  }
  const headsBytes = encodeHeads(heads);
  store.set(headsKey(sha256(headsBytes)), headsBytes);
  appended.push({ kind: 'heads', at, heads: sha256(headsBytes) });
  const { size } = view.checkpoint;
  const before = (await Array.fromAsync(readEntries(place.store, size))).map(({ bytes }) => bytes);
  const entries = [...before, ...appended.map((each) => Buffer.from(JSON.stringify(each)))];
  const { edge, objects } = growLog(emptyLogEdge, entries);
  for (const { key, bytes } of objects) store.set(key, Buffer.from(bytes));
  const head = { origin: place.origin, size: edge.size, root: rootOfEdge(edge) };
  store.set(CHECKPOINT_KEY, Buffer.from(formatNote(signedHead(head, [place.signer]).note)));
}

/** Publishes the next week as a later version might: a manifest with these other fields, and another document. */
async function publishLater(fields: object, entryFields: object = {}): Promise<void> {
  const { store } = place.objects;
  const asOf = '2026-11-17T06:00:00.000Z';
  const documents = ['brands.json', 'forecast.json'].map((path) => {
    const bytes = Buffer.from(`{"data":"${path}"}`);
    return { path, bytes: bytes.length, sha256: sha256(bytes), body: bytes };
  });
  const listed = documents.map(({ body: _body, ...each }) => each);
  const described = JSON.stringify([asOf, '1', listed.map(({ path, sha256: hash }) => [path, hash])]);
  const snapshotId = `20261117T060000.000Z-${sha256(described).slice(0, 16)}`;
  const inputs = [...store.keys()].find((key) => key.startsWith('inputs/'))!.slice(7, -5);
  const versions = { methodologyVersion: '1', codeVersion: '9.0.0', duckdbVersion: 'v9' };
  const content = { ...versions, completeness: null, inputs, documents: listed };
  const manifest = Buffer.from(
    `${JSON.stringify({ format: 3, workspaceId: own, workspaceName: null, snapshotId, asOf, ...content, ...fields })}\n`,
  );
  const manifestSha256 = sha256(manifest);
  store.set(manifestKey(own, snapshotId, manifestSha256), manifest);
  for (const { path, body } of documents)
    store.set(`workspaces/${own}/snapshots/${snapshotId}/${path}`, body);
  const bytes = listed.reduce((sum, each) => sum + each.bytes, 0);
  const counted = { methodologyVersion: '1', brands: 0, documents: 2, bytes };
  const sequence = history.publications.length + 1;
  history.publications.push({
    sequence,
    snapshotId,
    manifestSha256,
    publishedAt: '2026-11-17T07:00:00.000Z',
    ...counted,
    withdrawn: null,
    ...entryFields,
  });
  const entry = { kind: 'published', at: '', workspaceId: own, sequence, snapshotId, manifestSha256 };
  await append({ ...entry, ...counted, ...entryFields }, history);
}

const cases: [string, () => Promise<void>][] = [
  ['a document', async () => await publishLater({})],
  ['a field of a manifest', async () => await publishLater({ region: 'eu' })],
  ['a format of manifests', async () => await publishLater({ format: 4 })],
  ['a field of an entry and of its publication', async () => await publishLater({}, { region: 'eu' })],
  ['an entry of the log', async () => await append({ kind: 'reviewed', by: 'the operator' }, null)],
  [
    'an entry of a workspace',
    async () => {
      history['reviewed'] = true;
      await append({ kind: 'reviewed' }, history);
    },
  ],
];

describe('what this version does not know', () => {
  test.each(cases)('is never called altered, and there is no verdict: %s', async (_, write) => {
    await write();
    const { isIntact, problems, newer, checkpoint } = await verified(place);
    expect({ isIntact, problems, checkpoint }).toEqual({ isIntact: false, problems: [], checkpoint: null });
    expect(newer.length).toBeGreaterThan(0);
  });

  test.each(cases)('does not keep a running reader from following the log: %s', async (_, write) => {
    const before = await readLog(place.store, place);
    await write();
    const view = (await readLog(place.store, place, before))!;
    expect(view.heads).toEqual((await readLog(place.store, place))!.heads);
    const found = await readHistory(place.store, view, own);
    expect(currentOf(found!)).not.toBeNull();
  });

  test('is not appended to by this version', async () => {
    await publishLater({}, { region: 'eu' });
    place.objects.lake.clear();
    await expect(adoptLog(place, [])).rejects.toThrow(
      /written by a newer version of Sightline .*upgrade this one/,
    );
  });

  test.each<[string, string, string]>([
    ['a format of what the lake remembers', '"format":1', '"format":2'],
    ['a field of it', '{"format":1', '{"region":"eu","format":1'],
  ])('is neither overwritten nor taken for damage: %s', async (_, known, newer) => {
    const key = committedKey(place.origin);
    const bytes = Buffer.from(place.objects.lake.get(key)!.toString().replace(known, newer));
    place.objects.lake.set(key, bytes);
    const work = [() => publishAll(place, 2, [0]), () => repairLog(place), () => adoptLog(place, [])];
    for (const each of work) await expect(each()).rejects.toThrow(/was written by a newer version/);
    expect(place.objects.lake.get(key)).toBe(bytes);
  });
});
