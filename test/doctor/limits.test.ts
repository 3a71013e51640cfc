import { expect, test } from 'vitest';
import { judgeClock } from '../../infra/doctor/clock.ts';
import { judgeRoom } from '../../infra/doctor/disk.ts';
import { judgeNode } from '../../infra/doctor/machine.ts';
import { examinePart } from '../../infra/doctor/parts.ts';

test.each([
  [100_400, 'ok: no difference to be seen from the other'],
  [100_449, 'ok: no difference to be seen from the other'],
  [98_000, 'warning: this machine is 2.0 s ahead of the other'],
  [103_400, 'warning: this machine is 3.0 s behind the other'],
  [160_400, 'failure: this machine is 60.0 s behind the other'],
])('a clock that says %i when it is 100,000 to 100,400 here', (theirs, expected) => {
  const reading = { theirs, before: 100_000, after: 100_400, stepMs: 0 };
  const { state, found } = judgeClock('clock', 'the other', reading);
  expect(`${state}: ${found}`).toBe(expected);
});

test.each([
  [99_999, 'failure: 100 MB of 2.0 GB free at /'],
  [100_000, 'warning: 100 MB of 2.0 GB free at /'],
  [999_999, 'warning: 1000 MB of 2.0 GB free at /'],
  [1_000_000, 'ok: 1.0 GB of 2.0 GB free at /'],
])('a disk with %i free blocks of 1,000 bytes', (bavail, expected) => {
  const { state, found } = judgeRoom('disk', '/', { bavail, bsize: 1000, blocks: 2_000_000 }, '');
  expect(`${state}: ${found}`).toBe(expected);
});

test('an old Node, and an examination that breaks off, are failures with a remedy', async () => {
  const findings = [judgeNode('25.9.1'), ...(await examinePart('records', {} as never))];
  expect(findings.map(({ state, found, remedy }) => `${state}: ${found}; ${remedy}`)).toEqual([
    'failure: 25.9.1, and package.json asks for >=26; run "npm ci", and start programs with "npm run", which uses the right version',
    expect.stringMatching(/^failure: the examination broke off: .*; this is a defect: please report it$/),
  ]);
});
