import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { pageText, root } from '../docs/pages.ts';
import { temporaryFolder } from '../support/folder.ts';
import { describeWith } from '../support/requires.ts';

const folder = join(root, 'infra/prometheus');
const filesOf = (part: string) => readdirSync(join(folder, part)).map((name) => `${part}/${name}`);
const read = (path: string): unknown => parse(readFileSync(join(folder, path), 'utf8'));

interface Rule {
  alert: string;
  annotations: Record<string, string>;
}
const rules = filesOf('rules').flatMap((path) =>
  (read(path) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules),
);

/** Runs promtool in the folder of the files; its output explains failures. */
async function promtool(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('promtool', args, { cwd: folder });
  return stdout;
}

/** That the metrics exist, newcomer.ts tests on a machine. */
describeWith(['promtool'], 'promtool', () => {
  test('accepts the files of settings with their rules, and runs the tests of the rules', async () => {
    for (const path of ['prometheus.yaml', 'prometheus-kubernetes.yaml'])
      expect(await promtool('check', 'config', path)).toContain('is valid prometheus config file syntax');
    expect(await promtool('test', 'rules', ...filesOf('tests'))).toMatch(
      /(?:Unit Testing:.*\s+SUCCESS\s*){5}/,
    );
  });

  test('accepts the queries of the dashboard', async () => {
    const { panels } = read('../grafana/sightline.json') as { panels: { targets?: { expr: string }[] }[] };
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const recorded = queries.map((expr, n) => ({
      record: `dashboard:${n}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    const file = join(await temporaryFolder(), 'rules.yaml');
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: recorded }] }));
    expect(await promtool('check', 'rules', file)).toContain(`${queries.length} rules found`);
  });
});

test('each alert links its heading in the runbook or the page on Kubernetes, which says what to do first', () => {
  const sections = ['runbook', 'kubernetes'].flatMap((page) =>
    pageText(`docs/${page}.md`)
      .split(/^(?=##+ )/m)
      .flatMap((text) => {
        const name = /^##+ (Sightline\w+)$/m.exec(text)?.[1];
        return name === undefined ? [] : [{ page, name, text }];
      }),
  );
  expect(sections.map(({ name }) => name).toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  for (const { page, name, text } of sections) {
    const { annotations } = rules.find(({ alert }) => alert === name)!;
    const address = `{{ or $externalLabels.sightline_${page} "docs/${page}.md" }}#${name.toLowerCase()}`;
    expect(annotations['runbook_url']).toBe(address);
    expect(text).toMatch(/^\*\*First\.?\*\*/m);
  }
});
