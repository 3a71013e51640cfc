import { describe, expect, test } from 'vitest';
import { complaintsAbout } from '../../../lib/documents/encode.ts';
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
    [
      'more answers than citations',
      (s) => (source(s, 0).answers = source(s, 0).count + 1),
      'sources[0].answers: must',
    ],
    ['a domain in no answer', (s) => (source(s, 0).answers = 0), 'sources[0].answers: '],
    ['another gap', (s) => (source(s, 0).gap += 1), 'sources[0].gap: must be competitorMentions'],
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
    [
      'an own domain that is not marked',
      (s) => (source(s, 5).isOwnDomain = false),
      'sources[5].isOwnDomain: must be true',
    ],
    [
      'an own subdomain that is not marked',
      (s) => (source(s, 0).isOwnDomain = false),
      'sources[0].isOwnDomain: must',
    ],
    [
      'a lookalike marked as own',
      (s) => (source(s, 4).isOwnDomain = true),
      'sources[4].isOwnDomain: must be false',
    ],
  ]);

  test.each([
    ['acme.com', 'acme.com', true],
    ['HTTPS://WWW.Acme.com.:8443/start?x#y', 'docs.acme.com', true],
    ['//user:word@acme.com', 'acme.com', true],
    ['acme.com', 'notacme.com', false],
    ['app.acme.com', 'acme.com', false],
    ['mailto:acme.com', 'acme.com', false],
    ['MailTo:info@acme.com', 'acme.com', false],
    ['mailto:8080', 'mailto', false],
    ['mailto.acme.com', 'mailto.acme.com', true],
    ['ftp://acme.com', 'acme.com', false],
    ['', 'acme.com', false],
    ['  acme.com  ', 'acme.com', true],
    ['ac me.com', 'ac', false],
  ])('for a brand at "%s", %s being its own is %s', (entered, domain, isOwn) => {
    const row = { ...source(sound, 0), domain, isOwnDomain: isOwn };
    const document = { brand: { ...sound.brand, domain: entered }, sources: [row] };
    expect(complaintsAbout('sources', document)).toEqual([]);
    row.isOwnDomain = !isOwn;
    expect(complaintsAbout('sources', document)).toHaveLength(1);
  });

  test.each(['münchen.de', 'https://[::1]/'])('own domains of a brand at %s are not judged', (entered) => {
    for (const isOwnDomain of [true, false]) {
      const row = { ...source(sound, 0), domain: '[::1]', isOwnDomain };
      const document = { brand: { ...sound.brand, domain: entered }, sources: [row] };
      expect(complaintsAbout('sources', document)).toEqual([]);
    }
  });
});
