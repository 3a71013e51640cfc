import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { diffOutput, listOutput, verifyOutput } from '../../snapshots/audit/output.ts';
import { FROZEN, ORIGIN as FROZEN_ORIGIN } from '../frozen/commands.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { Objects } from '../support/memory-store.ts';
import { transcriptOf } from '../support/transcript.ts';
import { damages, signedDamages } from './damages.ts';
import { workspaceIds } from './history.ts';
import { copyOf } from './log/places.ts';
import { ORIGIN } from './publish.ts';
import { sessionPlaces } from './session-places.ts';

let places: Awaited<ReturnType<typeof sessionPlaces>>;
beforeAll(async () => {
  places = await sessionPlaces();
});

/** Makes the files of a store, below a folder, those of these objects, without waiting for the disk. */
function writeObjects(folder: string, objects: Objects, before: Objects = new Map()): void {
  for (const key of before.keys()) if (!objects.has(key)) rmSync(join(folder, key));
  for (const [key, bytes] of objects) {
    if (before.get(key)?.equals(bytes) === true) continue;
    // A folder is left of an object that had this name and a slash.
    if (!before.has(key)) rmSync(join(folder, key), { recursive: true, force: true });
    mkdirSync(dirname(join(folder, key)), { recursive: true });
    writeFileSync(join(folder, key), bytes);
  }
}

/** A folder with the frozen keys, and what commands in it need. */
async function newPlace() {
  const folder = await temporaryFolder();
  for (const name of ['key.private.pem', 'key.public.pem']) cpSync(join(FROZEN, name), join(folder, name));
  const publicKey = readFileSync(join(folder, 'key.public.pem'), 'utf8');
  const settings = {
    NOW: '2026-11-20T12:00:00Z',
    STORE_URL: 'store',
    LAKE_URL: 'lake',
    LOG_ORIGIN: ORIGIN,
    SIGNING_KEY_FILE: 'key.private.pem',
    PUBLIC_KEY_FILE: 'key.public.pem',
    XDG_STATE_HOME: join(folder, 'states'),
    // Names for what sessions contain.
    A: workspaceIds[0],
    B: workspaceIds[1],
    ONE_LINE: publicKey.replaceAll('\n', String.raw`\n`),
    X25519: generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' }).trim(),
  };
  return { folder, settings };
}

/* `npx vitest run test/snapshots/golden --update` writes what new lines print. */
const sessions = join(import.meta.dirname, 'sessions');

/** Of what these print with --json, as docs/schemas describes it. */
const schemas: Record<string, z.ZodType> = { list: listOutput, verify: verifyOutput, diff: diffOutput };

/** `rebuild` is of the frozen store and lake, of an earlier version; the others are of places in memory. */
async function prepare(name: string, session: string) {
  const { folder, settings } = await newPlace();
  if (name === 'rebuild') {
    for (const part of ['store', 'lake']) cpSync(join(FROZEN, part), join(folder, part), { recursive: true });
    return { folder, settings: { ...settings, NOW: '2027-06-01T00:00:00Z', LOG_ORIGIN: FROZEN_ORIGIN } };
  }
  const { store, lake } = (name === 'diff' ? places.weeks : name === 'many' ? places.many : places.history)
    .objects;
  writeObjects(join(folder, 'store'), store);
  writeObjects(join(folder, 'lake'), lake);
  for (const other of ['later', 'fork', 'longer', 'other'] as const)
    if (new RegExp(String.raw`^\$ .* ${other}\b`, 'm').test(session))
      writeObjects(join(folder, other), places[other].objects.store);
  return { folder, settings };
}

for (const file of readdirSync(sessions))
  test(
    `the commands of sessions/${file} print what it shows`,
    { tags: file === 'rebuild.txt' ? ['slow'] : [] },
    async () => {
      const name = file.replace('.txt', '');
      const session = readFileSync(join(sessions, file), 'utf8');
      const transcript = await transcriptOf([session], await prepare(name, session));
      for (const [line] of schemas[name] === undefined ? [] : transcript.matchAll(/^ {2}\{.*\}$/gm))
        expect(schemas[name]!.safeParse(JSON.parse(line)).error?.issues).toBeUndefined();
      await expect(transcript).toMatchFileSnapshot(join(sessions, file));
    },
  );

test.each([
  ['damages', 'history', damages, '$ audit show --state none --workspace $A --document week'],
  ['signed-damages', 'small', signedDamages, '$ audit list --state none'],
] as const)(
  'what verify and readers say of stores with golden/%s.txt is there',
  async (name, of, harms, reader) => {
    const { folder, settings } = await newPlace();
    const shown: string[] = [];
    let before: Objects = new Map();
    for (const [what, harm] of Object.entries(harms)) {
      const place = { ...copyOf(places[of]), clock: places[of].clock };
      await harm(place);
      writeObjects(join(folder, 'store'), place.objects.store, before);
      before = place.objects.store;
      const session = [`## ${what}`, '$ audit verify --state none', reader];
      shown.push(await transcriptOf(session, { folder, settings }));
    }
    await expect(shown.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, `golden/${name}.txt`));
  },
);
