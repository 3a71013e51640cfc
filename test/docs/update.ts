import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './pages.ts';
import { withAnswers } from './readme.ts';
import { takeTour } from './tour.ts';

/* Writes the answers in README.md anew: npm run docs */
const file = join(root, 'README.md');
const tour = await takeTour();
try {
  await writeFile(file, await withAnswers(await readFile(file, 'utf8'), tour));
} finally {
  await tour.stop();
}
