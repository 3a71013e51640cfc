import { expect, test } from 'vitest';
import { changesSection } from '../../../gateway/explore/pages/sections/changes.ts';
import { addressOf, readAddress } from '../../../gateway/explore/browser/address.ts';
import { comparisonOf } from '../../../lib/weeks/compare.ts';
import { keyIn } from '../../../gateway/explore/browser/key.ts';
import { weekOf } from '../../snapshots/weeks.ts';

test('a comparison lists what moved and why, and asks for care where a cause is known', () => {
  const { asOf, methodologyVersion, documents } = weekOf([{ named: [10, 10, 10], mentions: [50, 40, 30] }]);
  const week = { ...documents, snapshot: { id: 'a', asOf, methodologyVersion } };
  const comparison = comparisonOf(week, week);
  const { text } = changesSection('week of 9 November', comparison);
  expect(text).toContain('No engine could be judged this week.');
  const judged = { ...comparison.visibility, notMoved: ['chatgpt'] };
  expect(changesSection('week of 9 November', { ...comparison, visibility: judged }).text).toContain(
    'Nothing moved more than chance usually causes.',
  );
  expect(text).not.toMatch(/Compare with care|95 %/);
  const [before] = documents.competitors.shareOfVoice;
  const moved = {
    name: 'Acme',
    isBrand: true,
    rule: 'interval',
    because: 'the intervals are apart',
    before: before!,
    after: before!,
  } as const;
  const changed = changesSection('week of 9 November', {
    ...comparison,
    notComparable: ['Gemini: another model'],
    shareOfVoice: { ...comparison.shareOfVoice, moved: [moved] },
  }).text;
  expect(changed).toContain('Compare with care: Gemini: another model.');
  expect(changed).toContain('Judged by: interval (the 95 % interval of a share).');
  expect(changed).toContain('Why it is listed');
  expect(changed).toContain('the intervals are apart');
});

test.each([
  ['vis_0a1b', 'vis_0a1b'],
  [' vis_0a1b\n', 'vis_0a1b'],
  ['Bearer vis_0a1b', 'vis_0a1b'],
  ['"bearer  vis_0a1b"', 'vis_0a1b'],
  ['Bearer “vis_0a1b”', 'vis_0a1b'],
  ['my key', null],
  ['vis_ключ', null],
  ['""', null],
])('the key in %j is %j', (pasted, key) => {
  expect(keyIn(pasted)).toBe(key);
});

test('an address names a brand, a week and the week to compare with, and is never empty', () => {
  const address = { brand: 'a', week: '2026-11-23', against: null, full: null };
  expect(readAddress(addressOf(address))).toEqual(address);
  const none = { brand: null, week: null, against: null, full: null };
  expect(addressOf(none)).toBe('#brands');
  expect(readAddress('#brands')).toEqual(none);
  expect(readAddress('')).toEqual(none);
});
