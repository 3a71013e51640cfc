import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { ORIGIN, withdraw } from '../../adapters/publish.ts';
import { exampleDocuments, startDescribedGateway } from '../../gateway/described-gateway.ts';
import type { DescribedGateway } from '../../gateway/described-gateway.ts';
import { setPlan, workspaceId } from '../../gateway/gateway.ts';
import { expectedText } from '../../golden/cases.ts';
import { makeTestKeys } from '../../snapshots/history.ts';
import { runHere } from '../../support/command-line.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { startLiar } from '../tools.ts';

const newFolder = temporaryFolders();
const emptyWorkspace = '33333333-3333-4333-8333-333333333333';

let gateway: DescribedGateway;
/** The ids of snapshots, by what became of them. */
let ids: Record<'current' | 'pruned' | 'lost' | 'mistaken', string>;
let emptyKey: string;
let otherKeys: string;

beforeAll(async () => {
  gateway = await startDescribedGateway();
  const withdrawn = async (day: string, reason: 'pruned' | 'lost' | 'mistaken') => {
    const snapshotId = await gateway.publish(day);
    await withdraw(gateway.log, workspaceId, [{ snapshotId, reason }]);
    return snapshotId;
  };
  const pruned = await withdrawn('2026-11-18', 'pruned');
  const lost = await withdrawn('2026-11-19', 'lost');
  const mistaken = await withdrawn('2026-11-20', 'mistaken');
  const [first] = exampleDocuments.week.brands;
  const brand = { ...first!.brand, name: '# [Free](https://evil.example)\n<b>*now*</b> {`~@&!|_\\}' };
  const [rich] = Object.values(JSON.parse(expectedText('rich')) as Record<string, Documents>);
  const week = { ...rich!.week, brands: [{ ...first!, brand }, ...rich!.week.brands] };
  ids = { current: await gateway.publish('2026-11-24', { week }), pruned, lost, mistaken };
  await setPlan(gateway.records, emptyWorkspace, 'agency', null);
  emptyKey = await gateway.createKey(emptyWorkspace);
  otherKeys = (await makeTestKeys(await newFolder(), 'other')).publicKey;
});
afterAll(async () => await gateway?.close());

/** Nine days after the publication of every snapshot: the next one is not late yet. */
const inTime = Date.parse('2026-11-29T12:00:00Z');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: inTime });
  onTestFinished(() => void vi.useRealTimers());
});

const lines: string[] = [];

/** Runs the command, and keeps what it prints. */
async function run(words: readonly string[], others: Record<string, string> = {}): Promise<void> {
  const ours = { SIGHTLINE_URL: gateway.base, SIGHTLINE_API_KEY: gateway.key };
  const given = Object.entries({ ...ours, ...others }).filter(([, value]) => value !== 'unset');
  const settings = Object.fromEntries(given);
  const { status, stdout, stderr } = await runHere('sightline-client', words, { settings });
  const aside = Object.keys(others).map((name) => `, another ${name}`);
  lines.push(`$ sightline-client ${words.join(' ')}${aside.join('')}\n${stdout}${stderr}${status}\n`);
}

/** Compares what was printed with a golden file; keys, and with them what they sign, are new in each run. */
async function expectGolden(name: string): Promise<void> {
  const { publicKey, fingerprint } = gateway.log.keys;
  const named = Object.entries(ids).reduce(
    (text, [state, id]) => text.replaceAll(id, state),
    lines.splice(0).join('\n'),
  );
  const printed = named
    .replaceAll(publicKey, 'public-key.pem')
    .replaceAll(otherKeys, 'other-key.pem')
    .replaceAll(fingerprint, 'FINGERPRINT')
    .replaceAll(/root \S+=/g, 'root ROOT');
  await expect(printed).toMatchFileSnapshot(join(import.meta.dirname, 'golden', `${name}.txt`));
}

test('week prints the week as Markdown by one request, and no name becomes markup: golden/week.txt', async () => {
  const { answered } = gateway.observed;
  answered.length = 0;
  await run(['week']);
  expect(answered.map(({ route }) => route)).toEqual(['getWeek']);
  await run(['week', '--snapshot', ids.mistaken]);
  await run(['week'], { SIGHTLINE_API_KEY: emptyKey });
  await expectGolden('week');
});

test('verify says what it verified, and exits with 1 for what is altered or missing: golden/verify.txt', async () => {
  const verify = ['verify', '--public-key', gateway.log.keys.publicKey];
  await run([...verify, '--origin', ORIGIN]);
  vi.setSystemTime(inTime + 1000);
  await run(verify);
  for (const id of Object.values(ids)) await run([...verify, '--snapshot', id]);
  const liar = await startLiar(gateway.base, (text, path) => {
    if (path.endsWith('/sources')) return null;
    return path.endsWith('/results') ? `${text} ` : text;
  });
  await run(verify, { SIGHTLINE_URL: liar });
  await run(['verify', '--public-key', otherKeys]);
  await run([...verify, '--origin', 'other.example/log']);
  await expectGolden('verify');
});

test('a command exits with 2 if it cannot look: golden/refused.txt', async () => {
  const verify = ['verify', '--public-key', gateway.log.keys.publicKey];
  for (const words of ['--help', '', 'verify', 'week verify', 'verify --all', 'week --all'])
    await run(words.split(' ').filter(Boolean));
  for (const file of ['package.json', 'nowhere.pem']) await run(['verify', '--public-key', file]);
  for (const words of [verify, ['week']]) await run([...words, '--snapshot', 'nonsense']);
  await run(verify, { SIGHTLINE_API_KEY: emptyKey });
  await run(verify, { SIGHTLINE_API_KEY: '' });
  await run(verify, { SIGHTLINE_API_KEY: 'unset' });
  await run(['week'], { SIGHTLINE_URL: 'unset' });
  const proxy = await startLiar(gateway.base, (text, path) =>
    path.endsWith('/stability') ? '<html>' : text,
  );
  await run(verify, { SIGHTLINE_URL: proxy });
  await expectGolden('refused');
});
