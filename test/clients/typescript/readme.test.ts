/** @module-tag long */
import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { errorTable } from '../../../lib/errors.ts';
import { operations } from '../../../lib/documents/routes.ts';
import { blocksOf, pageText } from '../../docs/pages.ts';
import { startDescribedGateway } from '../../gateway/described-gateway.ts';
import { startListeningGateway } from '../../gateway/gateway.ts';
import examples from '../../openapi/examples.json' with { type: 'json' };
import { temporaryFolder } from '../../support/folder.ts';
import { compileCache } from '../tools.ts';

const root = join(import.meta.dirname, '../../..');
const page = 'clients/typescript/README.md';
const scripts = blocksOf(pageText(page)).filter(({ language }) => language === 'ts');

interface Package {
  exports: Record<string, string | { default: string }>;
}
const manifest = JSON.parse(pageText('clients/typescript/package.json')) as Package;

/** A folder with a script, and with the package's sources instead of its built files. */
async function folderWith(script: string): Promise<string> {
  const folder = await temporaryFolder();
  const sources = Object.entries(manifest.exports)
    .filter(([, target]) => typeof target !== 'string')
    .map(([name, target]) => [
      name,
      (target as { default: string }).default.replace('/dist/', '/').replace('.js', '.ts'),
    ]);
  await writeFile(join(folder, 'script.ts'), script);
  // A package may import itself by its name. Below node_modules Node would strip no types.
  await symlink(root, join(folder, 'package'));
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({
      name: 'sightline-client',
      type: 'module',
      exports: Object.fromEntries(sources.map(([name, file]) => [name, file!.replace('./', './package/')])),
    }),
  );
  return folder;
}

async function run(folder: string, env: Record<string, string>): Promise<{ stdout: string; stderr: string }> {
  const { PATH = '' } = process.env;
  return await promisify(execFile)(process.execPath, ['script.ts'], {
    cwd: folder,
    env: { PATH, ...compileCache, ...env },
  });
}

test('the Monday report runs, and runs again without a body', async () => {
  const [report] = scripts;
  const gateway = await startDescribedGateway();
  onTestFinished(() => gateway.close());
  const folder = await folderWith(report!.text);
  const env = { SIGHTLINE_URL: gateway.base, SIGHTLINE_API_KEY: gateway.key };
  const first = await run(folder, env).catch((error: { stdout: string; stderr: string }) => error);
  // The other brands of the examples have no documents.
  expect(first.stdout).toMatch(new RegExp(String.raw`^${examples.brands[0]!.name} [\d.]+( \w+)*\n$`));
  expect(first.stderr).toContain('not_found');
  const before = gateway.observed.answered.length;
  await run(folder, env).catch(() => undefined);
  const statuses = gateway.observed.answered.slice(before).map(({ status }) => status);
  expect(statuses).toEqual([304, 304, 404]);
  const refused = run(folder, { ...env, SIGHTLINE_API_KEY: 'vis_none' });
  await expect(refused).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('invalid_key') });
});

test('the proof of a week runs', async () => {
  const folder = await folderWith(scripts[2]!.text);
  const gateway = await startListeningGateway();
  onTestFinished(() => gateway.close());
  await writeFile(join(folder, 'public-key.pem'), await readFile(gateway.log.keys.publicKey));
  const env = { SIGHTLINE_URL: gateway.base, SIGHTLINE_API_KEY: gateway.key };
  // Two workspaces were published, each by a commit of two entries.
  const printed = `Published 2026-11-20T12:00:00.000Z: entry 1 of 4 in the log ${gateway.log.origin}.\n`;
  expect((await run(folder, env)).stdout).toBe(printed);
});

/** The rows of the table after a mark, each as the texts in backquotes. */
function rowsAfter(mark: string): string[][] {
  const [table] = pageText(page).split(`<!-- ${mark} -->\n\n`)[1]!.split('\n\n');
  const rows = table!.trimEnd().split('\n').slice(2);
  return rows.map((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, text]) => text!));
}

test('the tables have every method and every code', () => {
  const named = rowsAfter('methods').flat();
  const expected = operations.map(({ operationId, path }) => {
    const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    return `${operationId}(${ids.join(', ')})`;
  });
  expect(named.toSorted()).toEqual(expected.toSorted());
  const codes = rowsAfter('codes').map(([code]) => code);
  expect(codes).toEqual([...Object.keys(errorTable), 'network', 'timeout', 'bad_response']);
});
