import { describe } from 'vitest';
import type { Competitors } from '../../../lib/documents/competitors.ts';
import type { Visibility } from '../../../lib/documents/visibility.ts';
import { expectedOf } from '../../golden/expected.ts';
import { testRefusals } from './refusals.ts';
import { engine, young } from './visibilities.ts';

const { competitors, results, prompts } = expectedOf('Ångström & Co');
const row = (c: Competitors, index: number) => c.shareOfVoice[index]!;
const event = { date: '2026-11-01', slug: null, text: 'Another model', url: null };
/** An engine that is not warming up. */
const claude = (v: Visibility) => engine(v, 'claude');

describe('competitors', () => {
  testRefusals('competitors', competitors, [
    [
      'no gap in a row after the first',
      (c) => (row(c, 1).behindLeader = null),
      'shareOfVoice[1].behindLeader: must be null',
    ],
    [
      'a gap in the first row',
      (c) => (row(c, 0).behindLeader = row(c, 1).behindLeader),
      'shareOfVoice[0].behindLeader: must be null',
    ],
    [
      'a gap outside its interval',
      (c) => (row(c, 1).behindLeader!.highPp = 0),
      'shareOfVoice[1].behindLeader: must have gapPp',
    ],
    [
      'a row behind by chance',
      (c) => (row(c, 1).behindLeader!.isBehind = true),
      'shareOfVoice[1].behindLeader.isBehind',
    ],
    [
      'gaps without leaders by prompt',
      (c) => (c.leadersByPrompt = null),
      'shareOfVoice[1].behindLeader: must be null',
    ],
    [
      'more answers than mentions',
      (c) => (row(c, 1).answersNaming = 54),
      'shareOfVoice[1].answersNaming: must be from 1',
    ],
  ]);
});

describe('visibility', () => {
  testRefusals('visibility', young, [
    [
      'fewer answers than prompts',
      (v) => (claude(v).answers = claude(v).promptsAnswered - 1),
      'perEngine[3].answers: must not be fewer',
    ],
    [
      'no comparison of the same prompts',
      (v) => (claude(v).samePrompts = null),
      'perEngine[3].samePrompts: must be null exactly',
    ],
    [
      'more same prompts than prompts',
      (v) => (claude(v).samePrompts!.prompts += 100),
      'perEngine[3].samePrompts: must not have more prompts',
    ],
    [
      'more expected than there are',
      (v) => (claude(v).samePrompts!.expected += 100),
      'perEngine[3].samePrompts: must not have more named',
    ],
    [
      'a difference that means nothing',
      (v) =>
        Object.assign(claude(v).samePrompts!, {
          expected: claude(v).samePrompts!.named,
          isSignificant: true,
        }),
      'perEngine[3].samePrompts: must not be significant',
    ],
    ['models out of order', (v) => (claude(v).models = ['b', 'a']), 'perEngine[3].models: must be distinct'],
    [
      'a model with white space',
      (v) => (claude(v).models = [' a']),
      'perEngine[3].models[0]: expected folded',
    ],
    [
      'a change of no models',
      (v) => (claude(v).modelsChanged = true),
      'perEngine[3].modelsChanged: must be null',
    ],
    [
      'more unbranded prompts that are named',
      (v) => (claude(v).unbranded.promptsNamed += 1),
      'perEngine[3].unbranded: must not have more promptsNamed',
    ],
    [
      'more unbranded prompts that are not named',
      (v) => (claude(v).unbranded.promptsAnswered += 1),
      'perEngine[3].unbranded: must not have more prompts that',
    ],
    [
      'an event before the trend',
      (v) => (v.events = [{ ...event, date: '2020-01-01' }]),
      'events[0]: must not be before',
    ],
    [
      'events out of order',
      (v) => (v.events = [{ ...event, slug: 'claude' }, event]),
      'events[1]: events must be by date',
    ],
    [
      'an event with another link',
      (v) => (v.events = [{ ...event, url: 'javascript:alert(1)' }]),
      'events[0].url: expected an http',
    ],
  ]);
});

describe('results and prompts', () => {
  const evidence = { url: 'https://answers.example/1', sha256: null };
  testRefusals('results', results, [
    [
      'evidence of nothing',
      (r) => (r.prompts[0]!.engines[0]!.evidence = [evidence, { url: null, sha256: null }]),
      'prompts[0].engines[0].evidence[1]: must have',
    ],
    [
      'a hash in upper case',
      (r) => (r.prompts[0]!.engines[0]!.evidence = [{ url: null, sha256: 'A'.repeat(64) }]),
      'prompts[0].engines[0].evidence[0].sha256: expected 64',
    ],
  ]);
  testRefusals('prompts', prompts, [
    ['a tag twice', (p) => (p.prompts[0]!.tags = ['a', 'a']), 'prompts[0].tags[1]: must be distinct'],
    ['an empty tag', (p) => (p.prompts[0]!.tags = ['']), 'prompts[0].tags[0]: '],
  ]);
});
