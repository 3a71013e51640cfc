import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exampleDocuments } from './examples.ts';
import { answerPages, withAnswers } from './answers.ts';
import { columnsFile } from './columns.ts';
import { root } from './pages.ts';
import { jsonSchemas } from './schemas.ts';
import { takeTour } from './tour.ts';

/* Regenerates schemas, the list of columns, the responses on pages, and the examples of the OpenAPI description: npm run docs */
for (const [file, schema] of Object.entries(jsonSchemas))
  await writeFile(join(root, 'docs/schemas', file), `${JSON.stringify(schema, null, 2)}\n`);
await writeFile(join(root, 'docs/columns.csv'), columnsFile());
const tour = await takeTour();
try {
  for (const page of answerPages) {
    const file = join(root, page);
    await writeFile(file, await withAnswers(await readFile(file, 'utf8'), tour));
  }
  const examples = JSON.stringify(await exampleDocuments(tour), null, 2);
  await writeFile(join(root, 'test/openapi/examples.json'), `${examples}\n`);
} finally {
  await tour.stop();
}
