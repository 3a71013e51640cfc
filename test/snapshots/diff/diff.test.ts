import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EngineCause } from '../../../lib/weeks/causes.ts';
import type { DocumentKind } from '../../../lib/documents/kinds.ts';
import type { Visibility } from '../../../lib/documents/visibility.ts';
import { causesOf } from '../../../snapshots/diff/causes.ts';
import { diffBrand } from '../../../snapshots/diff/diff.ts';
import { causes as allCauses } from '../../../snapshots/diff/labels.ts';
import { meaningOf } from '../../../snapshots/diff/words.ts';
import { answers } from '../../frozen/commands.ts';
import { expectedText } from '../../golden/cases.ts';
import { brand, engines, weekOf } from '../weeks.ts';
import type { Counts, Week } from '../weeks.ts';

const [first] = engines;

const quiet: Counts = { named: [10, 10, 10], mentions: [50, 50, 50, 50] };
const history = Array.from({ length: 8 }, () => quiet);
const before = weekOf(history);
const after = weekOf([...history, { named: [0, 10, 10], mentions: [200, 50, 50, 50] }]);

/** A week with other documents. */
function changed(week: Week, change: (documents: Week['documents']) => void): Week {
  const documents = structuredClone(week.documents);
  change(documents);
  return { ...week, documents };
}

const noResult = { position: null, previousDate: null, wasNamed: null, previousPosition: null };
/** A week in which the first engine has other fields, and answered this number of prompts. */
const answering = (week: Week, fields: Partial<Visibility['perEngine'][number]>, count = 20) =>
  changed(week, ({ visibility, results }) => {
    const engine = { models: ['m-1'], answers: 20, ...fields };
    const { date } = Object.assign(visibility.perEngine[0]!, engine);
    results.prompts = Array.from({ length: count }, (_, number) => ({
      promptId: `dddddddd-0000-4000-8000-${String(number).padStart(12, '0')}`,
      promptText: `Prompt ${number}`,
      engines: [{ slug: first!, date, isNamed: false, change: 'new', evidence: [], ...noResult }],
    }));
  });

/** A week of these mentions. The second row's distance, the third's presence and the fourth's absence have this interval. */
const shared = (mentions: number[], lowPp: number, highPp: number) =>
  changed(weekOf([{ ...quiet, mentions }]), ({ competitors: { shareOfVoice } }) => {
    const gap = { gapPp: (lowPp + highPp) / 2, lowPp, highPp, isBehind: lowPp > 0 };
    shareOfVoice[1]!.behindLeader = gap;
    Object.assign(shareOfVoice[2]!, { presenceLowPct: lowPp, presenceHighPct: highPp });
    Object.assign(shareOfVoice[3]!, { presenceLowPct: 100 - highPp, presenceHighPct: 100 - lowPp });
  });

/** The week of the golden case `small`, and the one before it, as the job computed them. */
const [frozenWeek, frozenBefore] = (
  [
    ['2026-11-16', Object.values(JSON.parse(expectedText('small')) as object)[0]],
    ['2026-11-09', answers.olderWeek],
  ] as [string, Record<string, Week['documents']>][]
).map(([date, documents]): Week => ({
  asOf: `${date}T06:00:00.000Z`,
  methodologyVersion: '1.0',
  documents: documents[answers.nextRun.brand_id]!,
})) as [Week, Week];

/** A change of the newer week of the golden case. */
const frozen = (change: (documents: Week['documents']) => void): [Week, Week] => [
  frozenBefore,
  changed(frozenWeek, change),
];

const answered = answering(before, {});
const withoutFirst = changed(before, ({ visibility }) => void visibility.perEngine.shift());
const older = shared([400, 300, 10, 10], 2, 8);

const pairs: Record<string, [Week, Week]> = {
  'two weeks of the job': [frozenBefore, frozenWeek],
  'in the other order': [frozenWeek, frozenBefore],
  'another methodology': [frozenBefore, { ...frozenWeek, methodologyVersion: '2.0' }],
  'a changed prompt': frozen(({ prompts, stability, results }) => {
    prompts.prompts.find(({ isActive }) => isActive)!.text = 'Which?';
    stability.prompts[0]!.promptText = results.prompts[0]!.promptText = 'Which?';
  }),
  'a paused prompt': frozen(({ prompts }) => {
    prompts.prompts.find(({ isActive }) => isActive)!.isActive = false;
  }),
  'another competitor': frozen(({ competitors: { shareOfVoice } }) => {
    shareOfVoice.find(({ isBrand }) => !isBrand)!.name = 'Another';
  }),
  'another name of the brand': frozen((documents) => {
    const { shareOfVoice } = documents.competitors;
    shareOfVoice.find(({ isBrand }) => isBrand)!.name = 'Renamed';
    for (const document of Object.values(documents)) document.brand.name = 'Renamed';
    documents.sources.sources[0]!.isOwnDomain = true;
  }),
  'an engine that no longer runs': frozen(({ visibility: { perEngine }, timeline }) => {
    perEngine[0]!.date = '2026-11-02'; // two weeks
    for (const { dates } of timeline.engines) dates.push('2026-11-16');
  }),
  'an engine less': frozen(({ visibility, stability, results }) => {
    const rows = [visibility.perEngine, ...[stability, results].map(({ prompts }) => prompts[0]!.engines)];
    for (const row of rows) row.pop();
    results.prompts = results.prompts.toReversed();
    visibility.trend = {};
  }),
  'a prompt that warms up, and no mentions with a sentiment': [
    frozenWeek,
    changed(frozenWeek, ({ stability: { prompts }, visibility: { signals } }) => {
      signals.mentions = 0;
      for (const { engines: each } of prompts) each[0]!.brandStability = 0.123;
      prompts[0]!.engines[0]!.isWarmingUp = true;
    }),
  ],
  'late runs': frozen(({ visibility, timeline }) => {
    Object.assign(visibility, { trend: structuredClone(frozenBefore.documents.visibility.trend) });
    for (const points of Object.values(visibility.trend)) points[0]!.score += 1;
    timeline.engines = structuredClone(frozenBefore.documents.timeline.engines);
  }),
  'a fallen score and a grown share': [before, after],
  'a past cycle less': [
    before,
    changed(after, ({ visibility: { trend } }) => {
      trend[first!]!.splice(1, 1);
      trend[engines[1]!]!.shift(); // has left the window
      trend[engines[2]!]!.splice(-2);
      trend[engines[2]!]!.at(-1)!.score += 1;
    }),
  ],
  'a score within noise': [before, weekOf([...history, { ...quiet, named: [11, 10, 10] }])],
  'scores that moved': [answered, after],
  'an engine that did not move with the others': [
    before,
    changed(after, ({ visibility }) => void (visibility.moved = [])),
  ],
  'prompts that differ, inside of the band': [
    before,
    changed(weekOf([...history, { ...quiet, named: [11, 10, 10] }]), ({ visibility }) => {
      visibility.perEngine[0]!.samePrompts!.isSignificant = true;
    }),
  ],
  'an alert on an engine that is new': [withoutFirst, after],
  'an alert on an engine that is gone': [after, withoutFirst],
  'another model': [answered, answering(after, { models: ['m-2'] })],
  'three times the runs': [answered, answering(after, { answers: 60 })],
  'a quarter more runs': [answered, answering(after, { answers: 25 })],
  'a fifth more runs': [answered, answering(after, { answers: 24 })],
  'six answered prompts more than 20': [answered, answering(after, { promptsAnswered: 26, answers: 26 }, 26)],
  'more answered prompts': [answered, answering(after, { promptsAnswered: 40, answers: 40 }, 40)],
  'a distance that may be the same': [older, shared([400, 100, 10, 10], 8, 30)],
  'a distance that is another': [older, shared([400, 290, 10, 10], 9, 30)],
  'a share whose distance is not known': [older, weekOf([{ ...quiet, mentions: [400, 100, 10, 10] }])],
  'another name in front': [older, weekOf([{ ...quiet, mentions: [100, 600, 10, 10] }])],
  'a row that is as before, next to a first one that is not': [
    older,
    changed(older, ({ competitors: { shareOfVoice } }) => {
      const [leader, second, third] = shareOfVoice;
      Object.assign(leader!, { lowPct: 0, highPct: 1 });
      second!.behindLeader!.isBehind = false;
      Object.assign(third!, { tiedForLead: !third!.tiedForLead, tiedWithBrand: !third!.tiedWithBrand });
    }),
  ],
  'no mentions': [older, weekOf([{ ...quiet, mentions: [0, 0, 0, 0] }])],
};

/** By label, judgement and rule, the places of the changes. */
function inLines([from, to]: [Week, Week]): string[] {
  const { causes, causesOnEngines, changes, wonAndLost } = diffBrand(brand, from, to);
  const places = Map.groupBy(changes, ({ label, judgement, rule, causes: all }) =>
    [label, ...(all.length > 0 ? [`${all.join(', ')}; judged: ${judgement}`] : []), rule ?? 'no rule'].join(
      ', ',
    ),
  );
  return [
    `causes: ${causes.join(', ')}`,
    ...causesOnEngines.map(({ slug, text }) => `${slug}: ${text}`),
    ...wonAndLost.map(
      ({ change, slug, promptText, position }) => `${change}: ${slug} ${promptText} ${position}`,
    ),
    ...[...places].map(([how, each]) => `${how}:\n${each.map(({ place }) => `  ${place}\n`).join('')}`),
  ];
}

test('the label, the causes, the judgement and the rule of every change are those of golden/pairs.txt', async () => {
  const text = Object.entries(pairs).map(([name, pair]) => [`## ${name}`, ...inLines(pair)].join('\n'));
  await expect(text.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, '../golden/pairs.txt'));
});

test('the values that each cause makes incomparable are those of golden/causes.txt', async () => {
  const all = Object.values(pairs).flatMap(([from, to]) => diffBrand(brand, from, to).changes);
  const text = allCauses.map((cause) => {
    const onEngines = [{ cause: cause as EngineCause, slug: first!, text: '' }];
    const found = all.filter(
      ({ document, path }) =>
        causesOf({ present: new Set([cause]), onEngines }, document as DocumentKind, { path }).length > 0,
    );
    const places = new Set(found.map(({ document, path }) => `${[document, ...path].join(' › ')}\n`));
    return `## ${cause}\n${[...places].toSorted().join('')}`;
  });
  await expect(text.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, '../golden/causes.txt'));
});

function valueAt(document: unknown, pointer: string): unknown {
  const tokens = pointer.split('/').slice(1);
  const names = tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce((value, name) => (value as Record<string, unknown>)[name], document);
}

test('every JSON pointer leads to its value, in its week, and every field has the meaning that the API describes', () => {
  for (const [from, to] of Object.values(pairs))
    for (const { document, change, path, pointer, pointerBefore, ...values } of diffBrand(brand, from, to)
      .changes) {
      if (change === 'reordered') continue;
      const [was, is] = [from, to].map(({ documents }) => ({ data: documents[document as 'visibility'] }));
      const old = change === 'added' ? null : valueAt(was, pointerBefore ?? pointer);
      const now = change === 'removed' ? null : valueAt(is, pointer);
      expect(values).toMatchObject({ old, new: now });
      expect(change !== 'changed' && pointerBefore !== null).toBe(false);
      const isField = change === 'changed' && typeof old !== 'object';
      expect(isField && meaningOf(document, path) === null).toBe(false);
    }
  expect(meaningOf('visibility', ['signals'])).toMatch(/^Sentiment and position/);
  expect(meaningOf('visibility', ['overallVisibility', 'of', 'newer'])).toBeNull();
});
