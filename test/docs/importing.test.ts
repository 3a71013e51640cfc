/** @module-tag long */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../lib/config.ts';
import { programEnvironment } from '../support/environment.ts';
import { markedBlock, pageText, root } from './pages.ts';
import { parts, startGateway } from './tour.ts';

const page = 'docs/importing.md';

let folder: string;
let environment: Record<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightline-importing-'));
  environment = { ...programEnvironment(), HOME: folder, PORT: '0', METRICS_PORT: '0' };
  for (const part of parts) await symlink(join(root, part), join(folder, part));
  for (const file of ['answers.csv', 'names.csv'])
    await writeFile(join(folder, file), markedBlock(page, `importing: ${file}`));
  await writeFile(join(folder, 'mine.sql'), pageText('docs/mapping.sql'));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

async function run(script: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], { cwd: folder, env: environment });
  return stdout;
}

test('five commands lead from a CSV file to a response over HTTP', async () => {
  const script = markedBlock(page, 'importing');
  expect(script.trim().split('\n')).toHaveLength(5);
  const printed = await run(script);
  for (const line of markedBlock(page, 'importing: report').trim().split('\n'))
    expect(printed).toContain(line);
  const gateway = await startGateway('npm run gateway', folder, environment);
  try {
    const key = (await readFile(join(folder, '.data/key'), 'utf8')).trim();
    const ask = async (path: string) => {
      const response = await fetch(`${gateway.url}/api/v1${path}`, { headers: { 'x-api-key': key } });
      expect(response.status).toBe(200);
      return ((await response.json()) as { data: unknown }).data;
    };
    const [brand] = (await ask('/brands')) as [{ id: string; name: string; domain: string }];
    expect(brand).toMatchObject({ name: 'Acme', domain: 'acme.example' });
    expect(await ask(`/brands/${brand.id}/visibility`)).toMatchObject({
      perEngine: [
        { slug: 'chatgpt', score: 50, date: '2026-11-16' },
        { slug: 'perplexity', score: 100 },
      ],
      signals: { mentions: 2, avgPosition: 1.5 },
    });
    expect(await ask(`/brands/${brand.id}/competitors`)).toMatchObject({ totalMentions: 5 });
  } finally {
    await gateway.stop();
  }
});

test('the request that it shows is one to the default address', () => {
  const { HOST, PORT } = readConfig({});
  expect(markedBlock(page, 'importing: request')).toContain(`http://${HOST}:${PORT}/api/v1/brands`);
});

test('the mapping to begin with, docs/mapping.sql, does its work', async () => {
  const record = {
    run: 'r-1',
    question: 'Which?',
    model: 'ChatGPT',
    asked: '2026-11-16',
    text: 'Globex, Acme',
    links: ['https://a.example'],
  };
  await writeFile(join(folder, 'answers.ndjson'), `${JSON.stringify(record)}\n`);
  await run('npm run job -- import --mapping mine.sql --from answers.ndjson --to .data/mine');
  const run1 = JSON.parse(await readFile(join(folder, '.data/mine/runs.ndjson'), 'utf8')) as object;
  expect(run1).toMatchObject({
    engine: 'chatgpt',
    cycle_date: '2026-11-16',
    mentions: [
      { name: 'Globex', subject: 'competitor' },
      { name: 'Acme', subject: 'brand' },
    ],
    citations: [{ url: 'https://a.example', source_type: 'other' }],
  });
});

test('it names every helper that mappings use', async () => {
  const helpers = await readFile(join(root, 'jobs/import/helpers.sql'), 'utf8');
  const names = [...helpers.matchAll(/^create or replace macro (\w+)/gm)].map(([, name]) => name!);
  const inner = new Set([
    'engine_or_skip',
    'is_word_between',
    'iso_time',
    'no_engine',
    'strptime_format',
    'without_word',
    'without_words',
  ]);
  const missing = names.filter((name) => !inner.has(name) && !pageText(page).includes(`\`${name}(`));
  expect(missing).toEqual([]);
});
