import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exampleDocuments } from './examples.ts';
import { answerPages, withAnswers } from './answers.ts';
import { root } from './pages.ts';
import { takeTour } from './tour.ts';

/* Writes the responses on pages, and the examples of the OpenAPI description, anew: npm run docs */
const tour = await takeTour();
try {
  for (const page of answerPages) {
    const file = join(root, page);
    await writeFile(file, await withAnswers(await readFile(file, 'utf8'), tour));
  }
  const examples = JSON.stringify(await exampleDocuments(tour), null, 2);
  await writeFile(join(root, 'lib/openapi/examples.json'), `${examples}\n`);
} finally {
  await tour.stop();
}
