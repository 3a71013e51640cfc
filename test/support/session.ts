import { tmpdir } from 'node:os';
import { expect } from 'vitest';
import { runHere } from './command-line.ts';

type Settings = Record<string, string>;

/** A command line, a comment, or what happens between two of them; returned settings replace others from there on. */
export type Step = string | (() => Promise<Settings | void> | Settings | void);

/**
 * Runs command lines such as `records key list …` in this process, and compares what a terminal would show with a golden
 * file. `PREFIX-1` in a line is the prefix of the first key that was made.
 */
export async function expectSession(
  golden: string,
  steps: readonly Step[],
  given: Settings,
  folder?: string,
): Promise<void> {
  const keys: string[] = [];
  const settings = { ...given };
  const shown: string[] = [];
  for (const step of steps) {
    if (typeof step !== 'string') Object.assign(settings, await step());
    else if (step.startsWith('#')) shown.push(`\n${step}\n`);
    else {
      const line = step.replaceAll(/PREFIX-(\d)/g, (_, n) => prefixOf(keys[Number(n) - 1]!));
      const [program, ...words] = line.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ''));
      const { status, stdout, stderr } = await runHere(program as 'records', words, { folder, settings });
      keys.push(...(stdout.match(/vis_[0-9a-f]{48}/g) ?? []));
      shown.push(`\n$ ${step}${status === 0 ? '' : ` (status ${status})`}\n${stdout}${stderr}`);
    }
  }
  await expect(stableText(shown.join('')).trimStart()).toMatchFileSnapshot(golden);
}

function prefixOf(key: string): string {
  return key.slice(0, 12);
}

/** Without what differs from run to run, or from machine to machine. Columns keep their widths. */
export function stableText(text: string): string {
  const keys = [...new Set(text.match(/vis_[0-9a-f]{48}/g))];
  const numbered = keys.reduce(
    (page, key, n) => page.replaceAll(key, `KEY-${n + 1}`).replaceAll(prefixOf(key), `vis_PREFIX-${n + 1}`),
    text,
  );
  return numbered
    .replaceAll(new RegExp(`${tmpdir()}/sightline-test-\\w+`, 'g'), 'FOLDER')
    .replaceAll(/127\.0\.0\.1:\d{4,5}\b/g, '127.0.0.1:PORT')
    .replaceAll(/\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d\.\d{3}Z)?/g, (time) =>
      '2026-01-01T00:00:00.000Z'.slice(0, time.length),
    )
    .replaceAll(/\d+(?:\.\d)? [GM]B of \d+(?:\.\d)? [GM]B free at [^\s"]+/g, 'SPACE free at FOLDER')
    .replaceAll(/(?<![\d.])\d+\.\d+\.\d+(?=[, ]|$)/gm, 'VERSION')
    .replaceAll(/\d{8}T\d{6}\.\d{3}Z-/g, 'TIME-')
    .replaceAll(/\b[0-9a-f]{16}\b/g, 'HASH')
    .replaceAll(/(?<=bytes instead of )\d+/g, 'N')
    .replaceAll(/(?<=part-)[0-9a-f-]{36}/g, 'UUID')
    .replaceAll(/\d+\.\d s (?=ahead|behind)/g, 'N s ');
}
