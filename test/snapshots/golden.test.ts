import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import { diffOutput, listOutput, verifyOutput } from '../../snapshots/audit/output.ts';
import { FROZEN, ORIGIN as FROZEN_ORIGIN } from '../frozen/commands.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { Objects } from '../support/memory-store.ts';
import { damages, signedDamages } from './damages.ts';
import { copyOf } from './log/places.ts';
import { rebuildStory, stories } from './stories.ts';
import { storyPlaces } from './story-places.ts';
import { transcriptOf, writeObjects } from './transcript.ts';

let places: Awaited<ReturnType<typeof storyPlaces>>;
beforeAll(async () => {
  places = await storyPlaces();
});
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Of what these print with --json, as docs/schemas describes it. */
const schemas: Record<string, z.ZodType> = { list: listOutput, verify: verifyOutput, diff: diffOutput };

const setTime = (time: string) => void vi.setSystemTime(time);
const goldenFile = (name: string) => join(import.meta.dirname, `golden/${name}.txt`);

test.each(Object.entries(stories))(
  'what the commands of golden/%s.txt print is there',
  async (name, story) => {
    const folder = await temporaryFolder();
    const { store, lake } = (name === 'diff' ? places.weeks : name === 'many' ? places.many : places.history)
      .objects;
    writeObjects(join(folder, 'store'), store);
    writeObjects(join(folder, 'lake'), lake);
    for (const other of ['later', 'fork', 'longer', 'other'] as const)
      if (story.includes(other)) writeObjects(join(folder, other), places[other].objects.store);
    const text = await transcriptOf(folder, story, { setTime });
    for (const [line] of schemas[name] === undefined ? [] : text.matchAll(/^\{.*\}$/gm))
      expect(schemas[name]!.safeParse(JSON.parse(line)).error?.issues).toBeUndefined();
    await expect(text).toMatchFileSnapshot(goldenFile(name));
  },
);

test('what rebuild prints is golden/rebuild.txt', { tags: ['slow'] }, async () => {
  const folder = await temporaryFolder();
  for (const name of ['store', 'lake']) cpSync(join(FROZEN, name), join(folder, name), { recursive: true });
  const settings = { setTime: () => setTime('2027-06-01'), LOG_ORIGIN: FROZEN_ORIGIN };
  await expect(await transcriptOf(folder, rebuildStory, settings)).toMatchFileSnapshot(goldenFile('rebuild'));
});

test.each([
  ['damages', 'history', damages, 'audit show --state none --workspace $A --document week'],
  ['signed-damages', 'small', signedDamages, 'audit list --state none'],
] as const)(
  'what verify and readers say of stores with golden/%s.txt is there',
  async (name, of, harms, reader) => {
    const folder = await temporaryFolder();
    const story = `audit verify --state none\n${reader}`;
    const shown: string[] = [];
    let before: Objects = new Map();
    for (const [what, harm] of Object.entries(harms)) {
      const place = { ...copyOf(places[of]), clock: places[of].clock };
      await harm(place);
      writeObjects(join(folder, 'store'), place.objects.store, before);
      before = place.objects.store;
      shown.push(`## ${what}\n\n${await transcriptOf(folder, story, { setTime })}`);
    }
    await expect(shown.join('\n')).toMatchFileSnapshot(goldenFile(name));
  },
);
