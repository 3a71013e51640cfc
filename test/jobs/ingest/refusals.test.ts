/** @module-tag black-box */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { bad } from './bad-records.ts';
import type { Kind } from './bad-records.ts';
import { deliver, rejectsOf } from '../../adapters/deliver.ts';
import { citation, mention, runId, sound, writeDrop } from '../records.ts';
import type { Fields } from '../records.ts';

const wide = (n: number) => String(n).padStart(12, '0');
const idOf = (kind: Kind, n: number) => (kind === 'runs' ? runId(n) : `99999999-0000-4000-8000-${wide(n)}`);

test.each(Object.keys(sound) as Kind[])(
  'each way in which one of the %s can be bad refuses that record alone, and keeps it unchanged',
  async (kind) => {
    const folder = await temporaryFolder();
    const lines: string[] = [];
    const expected: unknown[] = [];
    const add = (line: string) => lines.push(line);
    const file = `${kind}.ndjson`;
    for (const [reason, variants] of Object.entries(bad[kind])) {
      for (const variant of variants) {
        add(JSON.stringify(sound[kind]({ id: idOf(kind, lines.length) })));
        const record =
          typeof variant === 'string'
            ? variant
            : ` ${JSON.stringify(sound[kind]({ id: idOf(kind, lines.length), ...variant }))}\t`;
        expected.push({ file, line: add(record), reason, record });
      }
    }
    const drop = await writeDrop(join(folder, 'drop'), { [file]: lines.map((line) => `${line}\n`).join('') });
    const lake = join(folder, 'lake');
    const report = await deliver(lake, { folder: drop, date: '2026-11-16', partialTracking: true });
    expect(await rejectsOf(lake, report)).toEqual(expected);
    const count = expected.length;
    expect(report.files).toMatchObject([{ file, kind, ingested: count, repeated: 0, refused: count }]);
    const counted = Object.entries(bad[kind]).map(([reason, { length }]) => ({
      reason,
      records: length,
      kept: length,
    }));
    expect(new Set(report.refusals)).toEqual(new Set(counted));
  },
);

const hosts = [
  ['//x', 'X', 'HTTPS://x.example.', 'https://www.www.x/', 'İ.example', 'user:pw@[2001:DB8::1]:8443/x'],
  ['mailto.example', 'mailto@b.example', 'https://mailto:a@b.example'],
].flat();

const longest = '\u{1f680}'.repeat(1000);

test('what the contract leaves free is no reason to refuse', async () => {
  const folder = await temporaryFolder();
  const runs: Fields[] = [
    { mentions: null, citations: null, status: 'failed' },
    { mentions: [], citations: [], status: 'no_answer', extra: { a: [1, null] } },
    { mentions: [mention({ competitor_id: 'no id' }), mention({ subject: 'other', competitor_id: 7 })] },
    { mentions: [mention({ subject: 'competitor', competitor_id: runId(99), sentiment: null })] },
    { mentions: [{ name: '\ufeff', subject: 'other', position: 9007199254740991 }] },
    { mentions: [mention({ name: 'a\u0000b' }), mention({ name: ',]NaN' }), mention({ name: '\u200b' })] },
    { ran_at: '2026-11-09t08:00:00.123456789z' },
    { ran_at: '2024-02-29T23:59:59-23:59', cycle_date: '2024-02-29' },
    ...['2025-11-08', '2027-11-10'].map((cycle_date) => ({ cycle_date })),
    {
      mentions: Array.from({ length: 1000 }, () => mention({ name: longest })),
      citations: Array.from({ length: 1000 }, () => citation()),
    },
    { citations: hosts.map((url) => citation({ url })) },
    { model: null, answer_url: null, answer_sha256: null },
    { model: '', status: 'no_answer', answer_url: `HTTP://x/"\\${'x'.repeat(1989)}` },
    { model: longest, answer_sha256: 'A'.repeat(64) },
    { id: runId(900).toUpperCase(), brand_id: runId(7).toUpperCase(), prompt_id: runId(8) },
  ];
  const domains: unknown[] = ['', '   ', 'no host at all', undefined, null, 'ftp://x', 'a\u0000b'];
  const drop = await writeDrop(join(folder, 'drop'), {
    'runs.ndjson': runs.map((run, n) => sound.runs({ id: runId(n), ...run })),
    'prompts.ndjson': [
      sound.prompts({ text: '\u{1f680}'.repeat(10_000), tags: Array(50).fill('\u{1f680}'.repeat(100)) }),
      sound.prompts({ id: runId(2), tags: null }),
      sound.prompts({ id: runId(3), tags: ['', ' '], created_at: '0001-01-01T00:00:00Z' }),
    ],
    'events.ndjson': [
      sound.events({ id: runId(1), workspace_id: null, engine: null, url: null, text: longest }),
      sound.events({ id: runId(2), workspace_id: runId(9), engine: 'grok', url: 'https://x.example/' }),
    ],
    'brands.ndjson': domains.map((domain, n) => sound.brands({ id: runId(n), domain, name: longest })),
  });
  const report = await deliver(join(folder, 'lake'), { folder: drop, date: '2026-11-16' });
  expect(report.refusals).toEqual([]);
  expect(report.files.map(({ ingested }) => ingested)).toEqual([domains.length, 2, 3, runs.length]);
});
