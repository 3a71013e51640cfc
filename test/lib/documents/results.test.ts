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

  test('takes an engine with one cycle only', () => {
    const results = structuredClone(sound);
    const first = { previousDate: null, wasNamed: null, previousPosition: null, change: 'new' } as const;
    Object.assign(find(results, 'kept'), first);
    expect(complaintsAbout('results', results)).toEqual([]);
  });
});
