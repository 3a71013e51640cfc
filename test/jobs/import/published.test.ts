/** @module-tag long */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase, rowsOf } from '../../../jobs/duckdb.ts';
import { prepareHelpers } from '../../../jobs/import/mapping.ts';
import { literal } from '../../../jobs/literals.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { clock, imported, recordsOf } from './imports.ts';

interface Case {
  prompt: string;
  engine: string;
  name: string;
  named: boolean;
}

const published = join(import.meta.dirname, 'published');
const given = process.env['PUBLISHED_ANSWERS'];
const sets = [
  ...readdirSync(published, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(published, name)),
  ...(given === undefined ? [] : [given]),
];
if (sets.length === 1)
  process.stderr.write(
    'NOT RUN: published answers; test/jobs/import/published/README.md says how to add a set\n',
  );

/** The cases of `expected.csv` in which the import says something else, or that it does not have: a “0” would hold. */
async function differencesOf(folder: string, expected: readonly Case[]): Promise<Case[]> {
  const drop = await imported({
    mapping: 'spreadsheet',
    from: ['answers.csv', 'names.csv'].map((file) => join(folder, file)),
  });
  const [brand] = recordsOf<{ name: string }>(drop, 'brands.ndjson');
  const byId = (file: string, field: string) =>
    new Map(recordsOf<Record<string, string>>(drop, file).map((row) => [row['id'], row[field]!]));
  const prompts = byId('prompts.ndjson', 'text');
  const competitors = byId('competitors.ndjson', 'name');
  type Run = {
    prompt_id: string;
    engine: string;
    mentions: { subject: string; competitor_id: string | null }[];
  };
  const runs = recordsOf<Run>(drop, 'runs.ndjson');
  const asked = new Set(runs.map(({ prompt_id, engine }) => [prompts.get(prompt_id), engine].join('\n')));
  const names = new Set([brand!.name, ...competitors.values()]);
  const named = new Set(
    runs.flatMap(({ prompt_id, engine, mentions }) =>
      mentions.map(({ subject, competitor_id }) =>
        [
          prompts.get(prompt_id),
          engine,
          subject === 'brand' ? brand!.name : competitors.get(competitor_id!),
        ].join('\n'),
      ),
    ),
  );
  return expected.filter(
    (each) =>
      !asked.has([each.prompt, each.engine].join('\n')) ||
      !names.has(each.name) ||
      named.has([each.prompt, each.engine, each.name].join('\n')) !== each.named,
  );
}

async function expectedOf(folder: string): Promise<Case[]> {
  using database = await openDatabase({ scratch: await temporaryFolder() });
  const connection = await database.connect();
  await prepareHelpers(connection, { settings: {}, engines: {}, clock });
  return await rowsOf<Case>(
    connection,
    `select tidy(prompt) as prompt, engine_of(engine) as engine, tidy(name) as name, named = '1' as named
     from read_csv(${literal(join(folder, 'expected.csv'))}, all_varchar = true)`,
  );
}

test.each(sets.map((folder) => ({ name: basename(folder), folder })))(
  'the import names whom the table of $name names, in every case',
  async ({ folder }) => {
    const cases = await expectedOf(folder);
    expect(cases.length).toBeGreaterThan(0);
    expect(cases.some(({ named }) => named) && cases.some(({ named }) => !named)).toBe(true);
    expect(await differencesOf(folder, cases)).toEqual([]);
  },
);

test('a table with one case turned round differs in that case', async () => {
  const folder = join(published, 'handmade');
  const cases = await expectedOf(folder);
  const [first, ...others] = cases;
  const turned = { ...first!, named: !first!.named };
  expect(await differencesOf(folder, [turned, ...others])).toEqual([turned]);
});

test('a case of a prompt, an engine or a name that the answers do not have differs, too', async () => {
  const folder = join(published, 'handmade');
  const [first] = await expectedOf(folder);
  const others = [{ prompt: 'Which?' }, { engine: 'grok' }, { name: 'Latchpass' }].map((other) => ({
    ...first!,
    ...other,
    named: false,
  }));
  expect(await differencesOf(folder, others)).toEqual(others);
});
