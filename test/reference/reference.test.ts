import { expect, test } from 'vitest';
import { asOfCase, expectedText, goldenFolders, goldenPath } from '../golden/cases.ts';
import { answersOf } from './reference.ts';

test('there are golden cases, three of which the reference did not make', () => {
  expect(goldenFolders).toEqual(expect.arrayContaining(['small', 'rich', 'numbers']));
});

test.each(goldenFolders)('the reference agrees with the golden case %s, and refuses none of it', (name) => {
  const answers = answersOf([{ folder: goldenPath(name, 'drop'), date: '2026-11-16' }], asOfCase(name));
  expect(answers.workspaces).toEqual(JSON.parse(expectedText(name)));
  expect(answers.refused).toEqual([]);
});
