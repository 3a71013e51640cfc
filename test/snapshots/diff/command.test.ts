import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runHere } from '../../support/command-line.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { contentOfDocuments, encodeDocuments, encodeList } from '../documents.ts';
import { workspaceIds } from '../history.ts';
import { publishSnapshot, testLog } from '../publish.ts';
import type { TestLog } from '../publish.ts';
import { brand, weekOf } from '../weeks.ts';
import type { Week } from '../weeks.ts';

const quiet = { ...brand, id: '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c02', name: 'Quiet' };
const added = { ...brand, id: '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c03', name: 'Added' };
const history = Array.from({ length: 8 }, () => ({ named: [10, 10, 10], mentions: [50, 50, 50, 50] }));
const fallen = { named: [0, 10, 11], mentions: [200, 50, 50, 51] };

/** One prompt on one engine in a week. */
function setResult(week: Week, result: object): void {
  const { slug, date } = week.documents.visibility.perEngine[0]!;
  const others = { position: null, previousDate: null, wasNamed: null, previousPosition: null, evidence: [] };
  week.documents.results.prompts = [
    {
      promptId: 'dddddddd-0000-4000-8000-000000000001',
      promptText: 'Which is best?',
      engines: [{ slug, date, isNamed: true, change: 'new', ...others, ...result }],
    },
  ];
}

const newFolder = temporaryFolders();

let log: TestLog;
beforeAll(async () => {
  log = await testLog(await newFolder());
  const [earlier, later] = [weekOf(history), weekOf([...history, fallen])];
  setResult(earlier, { position: 2 });
  setResult(later, { isNamed: false, change: 'lost', wasNamed: true, previousPosition: 2 });
  for (const [week, model] of [
    [earlier, 'm-1'],
    [later, 'm-2'],
  ] as const)
    week.documents.visibility.perEngine[1]!.models = [model];
  for (const [week, brands] of [
    [earlier, [brand, quiet]],
    [later, [brand, quiet, added]],
  ] as const) {
    const documents = brands.flatMap(({ id }) =>
      encodeDocuments(id, (id === quiet.id ? earlier : week).documents),
    );
    const list = encodeList(brands.map((each) => ({ ...each, createdAt: '2026-01-05T00:00:00.000Z' })));
    await publishSnapshot(log, contentOfDocuments(workspaceIds[0], week.asOf, [list, ...documents]));
  }
});

test.each([
  ['moved', []],
  ['all', ['--all', '--brand', brand.id]],
  ['one-label', ['--label', 'models changed']],
  ['other-label', ['--brand', 'Acme', '--label', 'insufficient data']],
  ['nothing', ['--brand', 'Quiet']],
])('diff prints golden/%s.txt', async (name, words) => {
  const settings = { STORE_URL: log.store.url, PUBLIC_KEY_FILE: log.keys.publicKey };
  const { status, stdout, stderr } = await runHere('audit', ['diff', ...words], { settings });
  expect([status, stderr]).toEqual([0, '']);
  await expect(stdout.replaceAll(/Z-[0-9a-f]{16}/g, 'Z-HASH')).toMatchFileSnapshot(
    join(import.meta.dirname, `golden/${name}.txt`),
  );
});
