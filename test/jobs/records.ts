import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Fields = Record<string, unknown>;

/** The n-th id of a kind, which is a hexadecimal digit. */
export const idOf = (kind: string, n: number): string =>
  `${kind.repeat(8)}-0000-4000-8000-${String(n).padStart(12, '0')}`;

export const ids = {
  workspace: idOf('a', 1),
  brand: idOf('b', 1),
  competitor: idOf('c', 1),
  prompt: idOf('d', 1),
};

export const runId = (n: number): string => idOf('e', n);

/** A sound record of each kind; `given` replaces some of its fields. */
export const sound = {
  workspaces: (given: Fields = {}): Fields => ({
    id: ids.workspace,
    name: 'Workspace',
    created_at: '2026-01-01T00:00:00Z',
    ...given,
  }),
  brands: (given: Fields = {}): Fields => ({
    id: ids.brand,
    workspace_id: ids.workspace,
    name: 'Acme',
    domain: 'https://acme.example/',
    created_at: '2026-01-05T09:30:00Z',
    ...given,
  }),
  competitors: (given: Fields = {}): Fields => ({
    id: ids.competitor,
    brand_id: ids.brand,
    name: 'Globex',
    ...given,
  }),
  prompts: (given: Fields = {}): Fields => ({
    id: ids.prompt,
    brand_id: ids.brand,
    text: 'Which tool is best?',
    is_active: true,
    created_at: '2026-01-06T09:30:00Z',
    ...given,
  }),
  events: (given: Fields = {}): Fields => ({
    id: 'ffffffff-0000-4000-8000-000000000001',
    date: '2026-11-10',
    text: 'Another model',
    ...given,
  }),
  runs: (given: Fields = {}): Fields => ({
    id: runId(1),
    brand_id: ids.brand,
    prompt_id: ids.prompt,
    engine: 'perplexity',
    cycle_date: '2026-11-09',
    ran_at: '2026-11-09T08:00:00Z',
    status: 'success',
    ...given,
  }),
};

export const mention = (given: Fields = {}): Fields => ({
  name: 'Acme',
  subject: 'brand',
  position: 1,
  sentiment: 'neutral',
  ...given,
});

export const citation = (given: Fields = {}): Fields => ({
  url: 'https://news.example/a',
  source_type: 'news',
  ...given,
});

/** One of each of the tracking set. */
export const tracked = {
  'workspaces.ndjson': [sound.workspaces()],
  'brands.ndjson': [sound.brands()],
  'competitors.ndjson': [sound.competitors()],
  'prompts.ndjson': [sound.prompts()],
};

/** Files by name, each a text, bytes, or records and lines of NDJSON. */
export type Files = Record<string, string | Buffer | readonly (Fields | string)[]>;

/** Writes a drop and says where it lies. */
export async function writeDrop(folder: string, files: Files): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), Array.isArray(content) ? ndjson(content) : (content as string));
  }
  return folder;
}

export function ndjson(records: readonly (Fields | string)[]): string {
  return records.map((r) => `${typeof r === 'string' ? r : JSON.stringify(r)}\n`).join('');
}
