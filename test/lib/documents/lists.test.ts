import { describe, expect, test } from 'vitest';
import { complaintsAbout, encodeDocument } from '../../../lib/documents/encode.ts';
import { Failure } from '../../../lib/failure.ts';
import { expectedOf, readExpected } from '../../golden/expected.ts';
import { swap, testRefusals } from './refusals.ts';

const { prompts } = expectedOf('Ångström & Co');
const brands = [...readExpected('small').brandLists.values()][0]!;

describe('prompts', () => {
  testRefusals('prompts', prompts, [
    [
      'a prompt twice',
      (p) => p.prompts.push(p.prompts.at(-1)!),
      `prompts[${prompts.prompts.length}]: must be listed once`,
    ],
    [
      'prompts out of order',
      (p) => swap(p.prompts, 0, p.prompts.length - 1),
      'prompts[1]: must be listed oldest first',
    ],
    ['an empty question', (p) => (p.prompts[0]!.text = ''), 'prompts[0].text: '],
    [
      'an instant without milliseconds',
      (p) => (p.prompts[0]!.createdAt = '2026-01-05T09:30:00Z'),
      'prompts[0].createdAt: expected an instant',
    ],
    [
      'an instant with an offset',
      (p) => (p.prompts[0]!.createdAt = '2026-01-05T09:30:00.000+01:00'),
      'prompts[0].createdAt: ',
    ],
    [
      'an instant of no day',
      (p) => (p.prompts[0]!.createdAt = '2026-02-29T09:30:00.000Z'),
      'prompts[0].createdAt: ',
    ],
    ['an id that is no UUID', (p) => (p.prompts[0]!.id = 'first'), 'prompts[0].id: expected a UUID'],
    [
      'an isActive that is no boolean',
      (p) => Object.assign(p.prompts[0]!, { isActive: 1 }),
      'prompts[0].isActive: ',
    ],
  ]);
});

describe('brands', () => {
  testRefusals('brands', brands, [
    ['a brand twice', (b) => b.push(b.at(-1)!), '[2]: must be listed once'],
    ['brands out of order', (b) => swap(b, 0, 1), '[1]: must be listed oldest first'],
    ['a missing domain', (b) => Reflect.deleteProperty(b[0]!, 'domain'), '[0].domain: '],
    ['an empty name', (b) => (b[0]!.name = ''), '[0].name: '],
  ]);

  test('a domain may be empty, and a workspace without brands', () => {
    const nowhere = structuredClone(brands);
    for (const brand of nowhere) brand.domain = '';
    expect(complaintsAbout('brands', nowhere)).toEqual([]);
    expect(complaintsAbout('brands', [])).toEqual([]);
  });

  test('instants alike in milliseconds say nothing of the order of ids', () => {
    const twins = structuredClone(brands);
    for (const brand of twins) brand.createdAt = '2026-01-05T09:30:00.000Z';
    expect(complaintsAbout('brands', twins)).toEqual([]);
    expect(complaintsAbout('brands', twins.toReversed())).toEqual([]);
  });
});

describe('encodeDocument', () => {
  test('writes the whole body in one line', () => {
    expect(encodeDocument('brands', []).toString()).toBe('{"data":[]}\n');
  });

  test('refuses an unsound document with one line that names it and the first complaints', () => {
    const unsound = structuredClone(prompts);
    for (const prompt of unsound.prompts) prompt.text = '';
    const encode = () => encodeDocument('prompts', unsound);
    expect(encode).toThrow(Failure);
    expect(encode).toThrow(/^a prompts document is invalid: prompts\[0\]\.text: [^\n]+ \(and \d+ more\)$/);
  });
});
