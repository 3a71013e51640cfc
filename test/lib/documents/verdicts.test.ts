import { describe } from 'vitest';
import type { Visibility } from '../../../lib/documents/visibility.ts';
import { expectedOf } from '../../golden/expected.ts';
import { testRefusals } from './refusals.ts';
import { engine, young } from './visibilities.ts';

const { results, prompts } = expectedOf('Ångström & Co');
const event = { date: '2026-11-01', slug: null, text: 'Another model', url: null };
/** An engine that is not warming up. */
const claude = (v: Visibility) => engine(v, 'claude');

describe('visibility', () => {
  testRefusals('visibility', young, [
    [
      'a model with white space',
      (v) => (claude(v).models = [' a']),
      'perEngine[3].models[0]: expected folded',
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
  testRefusals('results', results, [
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
