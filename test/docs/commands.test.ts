/** @module-tag long */
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, rowsOf } from '../../jobs/duckdb.ts';
import type { Documents } from '../../lib/documents/schemas.ts';
import { runHere } from '../support/command-line.ts';
import { describeUnlessMissing, describeWith } from '../support/requires.ts';
import { until } from '../support/until.ts';
import examples from '../openapi/examples.json' with { type: 'json' };
import { exampleDocuments } from './examples.ts';
import { blocksOf, markedBlock, pageText } from './pages.ts';
import { answerPages, withAnswers } from './answers.ts';
import { startGateway, takeTour } from './tour.ts';
import type { Tour } from './tour.ts';

let tour: Tour;
beforeAll(async () => {
  tour = await takeTour();
});
afterAll(async () => await tour.stop());

/** What a script prints where the tour was taken, with its gateway's address and key. */
async function run(script: string, settings: Record<string, string> = {}): Promise<string> {
  const known = { KEY: tour.key, SIGHTLINE_URL: tour.url, SIGHTLINE_API_KEY: tour.key };
  const env = { ...tour.environment, ...known, ...settings };
  const local = script.replaceAll('http://127.0.0.1:8080', tour.url);
  return (await promisify(execFile)('sh', ['-euc', local], { cwd: tour.folder, env })).stdout;
}

/** The `data` of a response. */
async function get<Data>(path: string, { url, key }: Pick<Tour, 'url' | 'key'> = tour): Promise<Data> {
  const response = await fetch(`${url}/api/v1${path}`, { headers: { 'x-api-key': key } });
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: Data }).data;
}

/** The rows of a query of DuckDB, of a file where the tour was taken. */
async function query<Row>(sql: string, file: string): Promise<Row[]> {
  const database = await openDatabase({ scratch: tour.folder });
  const rows = await rowsOf<Row>(
    await database.connect(),
    sql.replace(`'${file}`, `'${tour.folder}/${file}`),
  );
  database.close();
  return rows;
}

/** The commands of a page, apart from those that other tests run or that this machine may lack. */
function commandsOf(page: string): string[] {
  const blocks = blocksOf(pageText(page)).filter(
    ({ language, mark }) => language === 'sh' && !/^(?:tour$|tour: |machine: )/.test(mark),
  );
  return blocks
    .map(({ text }) => text)
    .filter((text) => !/^(?:npm ci|npx openapi-typescript|curl)\b/.test(text));
}

test.each(answerPages)('%s shows the responses of the gateway that the tour leads to', async (path) => {
  const page = pageText(path);
  expect(await withAnswers(page, tour)).toBe(page);
});

test('the examples of the OpenAPI description are from the same gateway (npm run docs)', async () => {
  expect(await exampleDocuments(tour)).toEqual(examples);
});

test('no page has commands that no test runs', () => {
  for (const page of ['README.md', 'docs/api.md', 'docs/tour.md']) expect(commandsOf(page)).toEqual([]);
});

describe('docs/ingest.md', () => {
  test('the second delivery changes nothing', async () => {
    const [script, ...others] = commandsOf('docs/ingest.md');
    expect(others).toEqual([]);
    const printed = await run(script!);
    expect(JSON.parse(printed.trim().split('\n').at(-1)!)).toMatchObject({ delivery: null, refusals: [] });
  });

  test('the run that it shows is ingested', async () => {
    const record: unknown = JSON.parse(markedBlock('docs/ingest.md', 'record: runs'));
    await mkdir(join(tour.folder, 'shown'));
    await writeFile(join(tour.folder, 'shown/runs.ndjson'), `${JSON.stringify(record)}\n`);
    const printed = await run('npm run --silent job -- ingest --from shown --lake shown-lake --json');
    expect(JSON.parse(printed)).toMatchObject({ files: [{ ingested: 1, refused: 0 }] });
  });
});

const exporting = (mark: string) => markedBlock('docs/exporting.md', `exporting: ${mark}`);

/** Runs an export of the page, of the weeks of the tour. */
const exportAsShown = async (mark: string) => {
  const words = exporting(mark).trim().split(' ').slice(2);
  await runHere('job', words, { folder: tour.folder, settings: { STORE_URL: 'my/store' } });
};

/** A document of each brand. */
const ofEveryBrand = async <Name extends 'results' | 'visibility'>(name: Name) => {
  const brands = await get<Documents['brands']>('/brands');
  return await Promise.all(brands.map(async ({ id }) => await get<Documents[Name]>(`/brands/${id}/${name}`)));
};

describe('docs/exporting.md', () => {
  test('DuckDB finds what was lost', async () => {
    await exportAsShown('parquet');
    const found = await query<{ brand_name: string }>(exporting('sql'), 'tables/');
    const lost = (await ofEveryBrand('results')).flatMap(({ brand, prompts }) =>
      prompts.flatMap(({ engines }) =>
        engines.flatMap(({ change }) => (change === 'lost' ? [brand.name] : [])),
      ),
    );
    expect(lost.length).toBeGreaterThan(0);
    expect(found.map((row) => row.brand_name)).toEqual(lost.toSorted());
  });

  describeWith(['python3'], 'in Python', () => {
    test('lists the alerts', async () => {
      await exportAsShown('csv');
      await writeFile(join(tour.folder, 'alerts.py'), exporting('python'));
      const alerts = (await ofEveryBrand('visibility')).flatMap(({ brand, alerts: own }) =>
        own.map(({ slug, score }) => `2026-11-16 ${brand.name} ${slug} ${score.toFixed(1)}`),
      );
      expect(alerts.length).toBeGreaterThan(0);
      expect((await run('python3 alerts.py')).trim().split('\n')).toEqual(alerts);
    });
  });
});

const recipe = (mark: string) => markedBlock('docs/recipes.md', `recipes: ${mark}`);

/** The cells of these columns in each row of a table. */
const cellsOf = async (table: string, names: readonly string[]) => {
  const { columns, rows } = await get<Documents['table']>(`/tables/${table}`);
  const places = names.map((name) => columns.findIndex((column) => column.name === name));
  return rows.map((row) => places.map((place) => row[place]));
};

const inOrder = (rows: readonly unknown[][]) => rows.map((row) => row.join(' ')).toSorted();

/** The first Python that has pandas: the one of Debian's package need not be the first one. */
const pandas = ['python3', '/usr/bin/python3'].find(
  (program) => spawnSync(program, ['-c', 'import pandas']).status === 0,
);

describe('docs/recipes.md', () => {
  describeWith(['curl'], 'DuckDB', () => {
    test('reads the table that curl downloaded', async () => {
      await run(recipe('curl'));
      const found = await query<{ brand: string; name: string; sov_pct: number }>(
        recipe('duckdb'),
        'share_of_voice.json',
      );
      const expected = await cellsOf('share_of_voice', ['brand_name', 'name', 'sov_pct']);
      expect(inOrder(found.map((row) => [row.brand, row.name, row.sov_pct]))).toEqual(inOrder(expected));
    });
  });

  const missing = pandas === undefined ? ['pandas'] : [];
  describeUnlessMissing(missing, 'apt-get install python3-pandas', 'pandas', () => {
    test('prints the scores by brand and engine', async () => {
      await writeFile(join(tour.folder, 'scores.py'), recipe('pandas'));
      const [header, ...lines] = (await run(`${pandas!} scores.py`)).trim().split('\n');
      const [, ...engines] = header!.split(',');
      const printed = lines.flatMap((line) => {
        const [brand, ...scores] = line.split(',');
        return engines.map((engine, at) => [brand, engine, Number(scores[at])]);
      });
      const expected = await cellsOf('visibility', ['brand_name', 'engine', 'score']);
      expect(inOrder(printed)).toEqual(inOrder(expected));
    });
  });
});

describe('docs/importing.md', () => {
  const page = 'docs/importing.md';

  test('five commands lead from a CSV file to a response over HTTP', async () => {
    for (const file of ['answers.csv', 'names.csv'])
      await writeFile(join(tour.folder, file), markedBlock(page, `importing: ${file}`));
    const script = markedBlock(page, 'importing');
    expect(script.trim().split('\n')).toHaveLength(5);
    const settings = { LOG_ORIGIN: 'acme.example/log' }; // the records know the log of the tour
    const printed = await run(script, settings);
    for (const line of markedBlock(page, 'importing: report').trim().split('\n'))
      expect(printed).toContain(line);
    const { url, stop } = await startGateway('npm run gateway', tour.folder, {
      ...tour.environment,
      ...settings,
    });
    try {
      const key = (await readFile(join(tour.folder, '.data/key'), 'utf8')).trim();
      const [brand] = await get<Documents['brands']>('/brands', { url, key });
      expect(brand).toMatchObject({ name: 'Acme', domain: 'acme.example' });
      expect(await get(`/brands/${brand!.id}/visibility`, { url, key })).toMatchObject({
        perEngine: [
          { slug: 'chatgpt', score: 50, date: '2026-11-16' },
          { slug: 'perplexity', score: 100 },
        ],
        signals: { mentions: 2, avgPosition: 1.5 },
      });
    } finally {
      await stop();
    }
  });

  test('the mapping to begin with, docs/mapping.sql, does its work', async () => {
    const answer = { text: 'Globex, Acme', links: ['https://a.example'] };
    const record = { run: 'r-1', question: 'Which?', model: 'ChatGPT', asked: '2026-11-16', ...answer };
    await writeFile(join(tour.folder, 'answers.ndjson'), `${JSON.stringify(record)}\n`);
    await run('npm run job -- import --mapping docs/mapping.sql --from answers.ndjson --to mine');
    const imported: unknown = JSON.parse(await readFile(join(tour.folder, 'mine/runs.ndjson'), 'utf8'));
    expect(imported).toMatchObject({
      engine: 'chatgpt',
      cycle_date: '2026-11-16',
      mentions: [
        { name: 'Globex', subject: 'competitor' },
        { name: 'Acme', subject: 'brand' },
      ],
      citations: [{ url: 'https://a.example', source_type: 'other' }],
    });
  });
});

describe('clients in docs/api.md', () => {
  describeWith(['python3'], 'Python', () => {
    test('prints brands and alerts, sends If-None-Match, and names a wrong key', async () => {
      const before = tour.log.length;
      const statuses = () =>
        tour.log
          .slice(before)
          .map((line) => (JSON.parse(line) as { status?: number }).status)
          .filter((status) => status !== undefined);
      const printed = await run('python3 docs/client.py; python3 docs/client.py');
      const brands = 'Rillbay 42.4 grok\nMosspath 56\nDunesignal 65\n';
      expect(printed).toBe(brands + brands);
      await until(() => statuses().length >= 8);
      expect(statuses()).toEqual([200, 200, 200, 200, 304, 304, 304, 304]);
      await expect(run('python3 docs/client.py', { SIGHTLINE_API_KEY: 'vis_x' })).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining('invalid_key') as string,
      });
    });
  });

  describeWith(['curl'], 'curl', () => {
    test("works as shown, also in the tour's second terminal, which has no variables of the first", async () => {
      const shown = blocksOf(pageText('docs/api.md')).find(({ text }) => text.startsWith('curl'))!;
      expect(await run(shown.text)).toContain('"name":"Rillbay"');
      const script = markedBlock('docs/tour.md', 'tour: second terminal');
      expect(await run(`unset KEY SIGHTLINE_URL SIGHTLINE_API_KEY\n${script}`)).toMatch(
        /^HTTP\/1\.1 200 OK\r\n[^]*"name":"Rillbay"/,
      );
    });
  });
});
