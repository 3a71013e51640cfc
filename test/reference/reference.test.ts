import { expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { answersOf } from './reference.ts';

test.each(['small', 'rich'])(
  'the reference agrees with the golden case %s, which it did not make',
  (name) => {
    const at = (path: string) => fileURLToPath(new URL(`../golden/${name}/${path}`, import.meta.url));
    const { workspaces } = answersOf([{ folder: at('drop'), date: '2026-11-16' }], '2026-11-16T06:00:00Z');
    const expected: unknown = JSON.parse(readFileSync(at('expected.json'), 'utf8'));
    expect(workspaces).toEqual(expected);
  },
);
