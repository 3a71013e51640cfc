import { writeFileSync } from 'node:fs';
import { asOfCase, goldenPath } from '../golden/cases.ts';
import { answersOf } from './reference.ts';

// For a new golden case: node test/reference/write-expected.ts NAME…, then review its output.
for (const name of process.argv.slice(2)) {
  const drop = { folder: goldenPath(name, 'drop'), date: '2026-11-16' };
  const { workspaces } = answersOf([drop], asOfCase(name));
  writeFileSync(goldenPath(name, 'expected.json'), `${JSON.stringify(workspaces, null, 1)}\n`);
}
