import { describe, expect, test } from 'vitest';
import { complaintsAbout } from '../../../lib/documents/encode.ts';
import type { Results } from '../../../lib/documents/results.ts';
import { expectedOf } from '../../golden/expected.ts';
import { swap, testRefusals } from './refusals.ts';

const sound = expectedOf('Ångström & Co').results;
const engines = sound.prompts.flatMap(({ engines: all }) => all);

type EngineResult = (typeof engines)[number];

/** The first entry of a document that changed so. */
function find(results: Results, change: EngineResult['change']): EngineResult {
  return results.prompts.flatMap((prompt) => prompt.engines).find((engine) => engine.change === change)!;
}

test('the golden document has every change that the refusals spoil', () => {
  const changes = engines.map(({ change }) => change);
  expect(changes).toEqual(expect.arrayContaining(['won', 'lost', 'kept', 'absent']));
});

describe('results', () => {
  testRefusals('results', sound, [
    ['an unknown field', (r) => Object.assign(r, { extra: 1 }), 'data: '],
    ['an unknown change', (r) => Object.assign(find(r, 'won'), { change: 'gained' }), 'prompts['],
    ['a position of 0', (r) => (find(r, 'won').position = 0), 'prompts['],
    ['a prompt without engines', (r) => (r.prompts[0]!.engines = []), 'prompts[0].engines: '],
    [
      'a prompt twice',
      (r) => r.prompts.push(r.prompts[0]!),
      `prompts[${sound.prompts.length}]: must be listed`,
    ],
    [
      'engines out of order',
      (r) => swap(r.prompts[0]!.engines, 0, 1),
      'prompts[0].engines[1]: engines must be unique',
    ],
  ]);

  test.each<[string, EngineResult['change'], Partial<EngineResult>, string]>([
    [
      'won, though it was named before',
      'won',
      { wasNamed: true, previousPosition: 1 },
      'change: must be kept',
    ],
    ['kept, though it is not named', 'kept', { isNamed: false, position: null }, 'change: must be lost'],
    ['lost, though it never was', 'lost', { change: 'absent' }, 'change: must be lost'],
    ['named without a position', 'won', { position: null }, 'position: must be null if and only if'],
    ['a position without being named', 'lost', { position: 2 }, 'position: must be null if and only if'],
    [
      'a cycle before that is not before',
      'kept',
      { previousDate: '2030-01-01' },
      'previousDate: must be before',
    ],
    [
      'no cycle before, but its result',
      'kept',
      { previousDate: null },
      'wasNamed: must be null if and only if',
    ],
    ['named before without a position', 'kept', { previousPosition: null }, 'previousPosition: must be null'],
    [
      'a position before without being named',
      'won',
      { previousPosition: 3 },
      'previousPosition: must be null',
    ],
  ])('refuses %s', (_, change, spoiled, complaint) => {
    const results = structuredClone(sound);
    Object.assign(find(results, change), spoiled);
    expect(complaintsAbout('results', results).join('\n')).toContain(complaint);
  });

  test('takes an engine with one cycle only', () => {
    const results = structuredClone(sound);
    const first = { previousDate: null, wasNamed: null, previousPosition: null, change: 'new' } as const;
    Object.assign(find(results, 'kept'), first);
    expect(complaintsAbout('results', results)).toEqual([]);
  });
});
