import { describe, expect, test } from 'vitest';
import { complaintsAbout } from '../../../lib/documents/encode.ts';
import type { Stability } from '../../../lib/documents/stability.ts';
import { expectedOf } from '../../golden/expected.ts';
import { swap, testRefusals } from './refusals.ts';

type Engine = Stability['prompts'][number]['engines'][number];

const brand = { id: '11111111-1111-4111-8111-111111111111', name: 'Acme', domain: 'acme.com' };
const engine: Engine = {
  slug: 'claude',
  cyclesObserved: 10,
  isWarmingUp: false,
  brandPlacement: 'core',
  brandStability: 0.7,
  core: [
    { entity: 'Hooli', stability: 1 },
    { entity: 'Acme', stability: 0.7 },
  ],
  carousel: [
    { entity: 'Globex', stability: 0.6 },
    { entity: 'ﬁ', stability: 0.4 },
    { entity: '🚀 Rocket', stability: 0.4 },
  ],
};
const warming: Engine = {
  slug: 'grok',
  cyclesObserved: 3,
  isWarmingUp: true,
  brandPlacement: 'absent',
  brandStability: 0,
  core: ['A', 'B', 'C', 'D', 'E'].map((entity) => ({ entity, stability: 1 })),
  carousel: [
    { entity: 'F', stability: 1 },
    { entity: 'G', stability: 0.3333 },
  ],
};
const prompt = (promptId: string) => ({ promptId, promptText: 'Which is best?', engines: [engine, warming] });
const sound: Stability = {
  brand,
  minCycles: 4,
  prompts: [
    prompt('22222222-2222-4222-8222-222222222222'),
    prompt('11111111-2222-4222-8222-222222222222'),
  ].map((p) => structuredClone(p)),
};

const first = (s: Stability): Engine => s.prompts[0]!.engines[0]!;
const second = (s: Stability): Engine => s.prompts[0]!.engines[1]!;
const at = 'prompts[0].engines[0]';

describe('stability', () => {
  testRefusals('stability', sound, [
    ['another minCycles', (s) => Object.assign(s, { minCycles: 5 }), 'minCycles: '],
    ['a prompt twice', (s) => s.prompts.push(s.prompts[0]!), 'prompts[2]: a prompt must appear once'],
    ['a prompt that never ran', (s) => (s.prompts[0]!.engines = []), 'prompts[0].engines: '],
    ['an empty question', (s) => (s.prompts[0]!.promptText = ''), 'prompts[0].promptText: '],
    [
      'engines out of order',
      (s) => swap(s.prompts[0]!.engines, 0, 1),
      'prompts[0].engines[1]: engines must be',
    ],
    ['an engine twice', (s) => (second(s).slug = 'claude'), 'prompts[0].engines[1]: engines must be'],
    ['no cycle', (s) => (first(s).cyclesObserved = 0), `${at}.cyclesObserved: `],
    ['half a cycle', (s) => (first(s).cyclesObserved = 10.5), `${at}.cyclesObserved: `],
    [
      'an unknown placement',
      (s) => Object.assign(first(s), { brandPlacement: 'gone' }),
      `${at}.brandPlacement: `,
    ],
    ['a share above 1', (s) => (first(s).brandStability = 1.1), `${at}.brandStability: `],
    [
      'six names in the core',
      (s) => second(s).core.push({ entity: 'E', stability: 1 }),
      'prompts[0].engines[1].core: ',
    ],
    ['names out of order', (s) => swap(first(s).core, 0, 1), `${at}.core[1]: must come in order`],
    [
      'names of one stability out of code point order',
      (s) => swap(first(s).carousel, 1, 2),
      `${at}.carousel[2]: must come in order`,
    ],
    [
      'names whose order differs by one code point',
      (s) => swap(second(s).core, 0, 1),
      'prompts[0].engines[1].core[1]: must come in order',
    ],
    ['an empty name', (s) => (first(s).core[0]!.entity = ''), `${at}.core[0].entity: `],
  ]);

  test('two names of one spelling may stand side by side', () => {
    const twice = structuredClone(sound);
    first(twice).core.splice(0, 1, { entity: 'Acme', stability: 0.7 });
    expect(complaintsAbout('stability', twice)).toEqual([]);
  });

  test('a brand without prompts that ran has none', () => {
    expect(complaintsAbout('stability', expectedOf('Hooli').stability)).toEqual([]);
    expect(expectedOf('Hooli').stability.prompts).toEqual([]);
  });
});
