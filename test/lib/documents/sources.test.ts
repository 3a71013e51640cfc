import { describe } from 'vitest';
import type { Sources } from '../../../lib/documents/sources.ts';
import { expectedOf } from '../../golden/expected.ts';
import { swap, testRefusals } from './refusals.ts';

/** Twenty domains of a brand at https://www.ngstrmco.com/, two of them its own. */
const sound = expectedOf('Ångström & Co').sources;
const source = (s: Sources, index: number) => s.sources[index]!;

describe('sources', () => {
  testRefusals('sources', sound, [
    ['21 domains', (s) => s.sources.push({ ...source(s, 19), domain: 'z.com' }), 'sources: '],
    ['a domain never cited', (s) => (source(s, 0).count = 0), 'sources[0].count: '],
    ['a domain with a path', (s) => (source(s, 0).domain = 'a.com/b'), 'sources[0].domain: expected a host'],
    [
      'a domain with white space',
      (s) => (source(s, 0).domain = 'a\u0085b.com'),
      'sources[0].domain: expected',
    ],
    ['an empty domain', (s) => (source(s, 0).domain = ''), 'sources[0].domain: expected a host'],
    [
      'an unknown source type',
      (s) => Object.assign(source(s, 0), { sourceType: 'blog' }),
      'sources[0].sourceType: ',
    ],
    ['negative mentions', (s) => (source(s, 0).brandMentions = -1), 'sources[0].brandMentions: '],
    ['a domain in no answer', (s) => (source(s, 0).answers = 0), 'sources[0].answers: '],
    ['domains out of the order of gaps', (s) => swap(s.sources, 0, 1), 'sources[1]: domains must be by gap'],
    [
      'domains out of the order of citations',
      (s) => swap(s.sources, 4, 5),
      'sources[5]: domains must be by gap',
    ],
    [
      'domains of one gap and count out of order',
      (s) => swap(s.sources, 13, 14),
      'sources[14]: domains must be',
    ],
    [
      'a domain twice',
      (s) => (source(s, 1).domain = source(s, 0).domain),
      'sources[1]: a domain must be listed',
    ],
  ]);
});
