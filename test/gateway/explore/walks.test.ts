import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeTestKeys } from '../../snapshots/history.ts';
import { temporaryFolder, temporaryFolders } from '../../support/folder.ts';
import { globex, otherWorkspaceId, setPlan } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';
import { publishBrands } from '../snapshots.ts';
import { publishDemoWeeks, startExploreGateway } from './demo.ts';
import type { Demo } from './demo.ts';
import { Reader } from './reader.ts';
import type { Faults } from './reader.ts';

const newFolder = temporaryFolders();
const start = Date.parse('2026-11-20T12:00:00Z');
/** Not compared with another week. */
const OLDEST = '#week=2026-11-02';
const FJORDFORGE = 'b45b0205-1fce-46d1-a540-d431ae6ee7b7';
const withoutBrands = '44444444-4444-4444-8444-444444444444';
const withoutWeek = '55555555-5555-4555-8555-555555555555';

let demo: Demo;
let gateway: ListeningGateway;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  demo = await publishDemoWeeks(await newFolder());
  await publishBrands(demo.log, withoutBrands, [], '2026-11-16T06:00:00.000Z', { isWhole: true });
  gateway = await startExploreGateway(demo);
  for (const id of [withoutBrands, withoutWeek]) await setPlan(gateway.records, id, 'agency', 1000);
});
afterAll(async () => {
  await gateway?.close();
  vi.useRealTimers();
});

type Step = [what: string, act: (reader: Reader) => unknown, faults?: Faults];

const allow = async (requestsPerMinute: number, plan = 'agency') =>
  await setPlan(gateway.records, demo.workspaceId, plan, requestsPerMinute);
const enter = (reader: Reader) => reader.enter(gateway.key);
const check = (reader: Reader) => reader.click('Check proof');

async function pasteKey(reader: Reader, path: string): Promise<void> {
  reader.fill('public-key', await readFile(path, 'utf8'));
}

async function revokeKey(reader: Reader): Promise<void> {
  const key = await gateway.createKey(demo.workspaceId);
  reader.enter(key);
  await reader.settled();
  await gateway.records.revokeKey(key.slice(0, 12));
}

async function useUpMinute(): Promise<void> {
  const headers = { Authorization: `Bearer ${gateway.key}` };
  while ((await fetch(`${gateway.base}/api/v1/week`, { headers })).status !== 429);
}

/** A fault of the first responses; undefined for those after them. */
function first<Fault>(count: number, fault: () => Fault): () => Fault | undefined {
  let left = count;
  return () => ((left -= 1) >= 0 ? fault() : undefined);
}

const replacing = (from: RegExp, to: string): Faults => ({ alter: (text) => text.replace(from, to) });

const unanswered = replacing(/"prompts":\[\{"promptId".*/s, '"prompts":[]}}');

/** Responses about one week, or with its proof, are errors. */
const without = (part: string, status: number) => ({
  status: (path: string) => (path.search(part) < 0 ? undefined : status),
});

/**
 * A brand that is new this week; events around the ends of the charts, and of 8 October, where they have scores of the 5th
 * and the 12th; no tags, a sentiment of each mention, names of 14 and 25 characters, gaps of 1 or less.
 */
const altered: Faults = {
  ...without('20261102.*brands', 404),
  alter: (text) =>
    text
      .replaceAll(/\{"date":"2026-10-11"[^}]*\}/g, (event) =>
        ['10-08', '09-27', '09-28', '11-09', '11-10'].map((day) => event.replace('10-11', day)).join(),
      )
      .replaceAll(/"tags":\[[^\]]*\]/g, '"tags":[]')
      .replaceAll('"neutral":16', '"neutral":22')
      .replaceAll(/Quaygrid|Skarnfield/g, (name) => name.padEnd(name < 'R' ? 25 : 14, '.'))
      .replaceAll(/"gap":(\d+)/g, (_, gap) => `"gap":${5 - Number(gap)}`),
};

/** The browser's cache has responses with the allowance of a time long ago. */
const cached = { headers: { Date: 'Fri, 20 Nov 2026 09:00:00 GMT', 'X-RateLimit-Remaining': '0' } };

/** What readers do, by the name of the golden file. */
const walks: Record<string, Step[]> = {
  open: [
    ['loads the page', () => undefined],
    ['goes elsewhere without a key', (reader) => reader.goTo('#week=2026-11-09')],
    ['uses a control without a key', (reader) => reader.click('Earlier')],
    ['returns', (reader) => reader.goTo('')],
    ['enters a text with a blank', (reader) => reader.enter('not a key')],
    ['enters an unknown key', (reader) => reader.enter(`vis_${'0'.repeat(48)}`)],
    ['has a plan without the API', async () => await allow(1000, 'starter')],
    ['enters its key', enter],
    ['has a plan of which opening the page takes half', async () => await allow(6)],
    ['enters the key, as it is in a script', (reader) => reader.enter(`"Bearer ${gateway.key}"`)],
    ['opens the proof', (reader) => reader.click('Verified ✓ signed log')],
    ['closes it by Escape', (reader) => reader.press('body', 'Escape')],
    ['opens it again', (reader) => reader.click('Verified ✓ signed log')],
    ['presses another key', (reader) => reader.press('body', 'Enter')],
    ['sorts by a number', (reader) => reader.click('Visibility, %')],
    ['turns the order', (reader) => reader.click('Visibility, %')],
    ['sorts by name', (reader) => reader.click('Brand')],
    ['copies the table', (reader) => reader.click('[data-sheet=copy]')],
    ['waits two seconds', (reader) => reader.later()],
    ['downloads the table', (reader) => reader.click('[data-sheet=csv]')],
    ['opens the menu', (reader) => reader.click('Menu')],
    ['clicks in it', (reader) => reader.click('#menu h2')],
    ['prints', (reader) => reader.click('Print')],
    ['forgets the key', (reader) => reader.click('Forget the key')],
  ],
  proof: [
    ['enters the key', enter],
    ['pastes the operator’s key', async (reader) => await pasteKey(reader, demo.log.keys.publicKey)],
    ['names the log', (reader) => reader.fill('origin', ` ${demo.log.origin} `)],
    ['checks', check],
    ['names another log', (reader) => reader.fill('origin', 'other.example/log')],
    ['checks', check],
    ['names none', (reader) => reader.fill('origin', '')],
    ['pastes what is no key', (reader) => reader.fill('public-key', 'ssh-ed25519 AAAA')],
    [
      'pastes another key',
      async (reader) => {
        const { publicKey } = await makeTestKeys(await temporaryFolder(), 'other');
        await pasteKey(reader, publicKey);
      },
    ],
    ['has a browser without cryptography', check, { isInsecure: true }],
    ['asks a server without a key', (reader) => reader.fill('public-key', ' '), { alter: () => '' }],
    ['has no connection', check, { alter: () => null }],
  ],
  weeks: [
    ['enters the key', enter],
    ['moves the slider', (reader) => reader.fill('week', '1', ['input'])],
    [
      'lets it go, and focuses a link before the weeks are compared',
      (reader) => {
        reader.faults = { ...cached, alter: first(1, () => (reader.find('tbody a').focus(), undefined)) };
        reader.fill('week', '1', ['change']);
      },
    ],
    ['scrolls', (reader) => reader.change('scroll', { scrollY: 200 })],
    ['goes to an earlier week', (reader) => reader.click('Earlier')],
    ['goes back', (reader) => reader.goBack()],
    ['goes back again', (reader) => reader.goBack()],
    ['compares with another week', (reader) => reader.fill('against', '2026-11-02')],
    ['goes to an earlier week, without that', (reader) => reader.click('Earlier')],
    ['goes to a later one', (reader) => reader.click('Later')],
    ['goes to a week that is not there', (reader) => reader.goTo('#week=2020-01-06&against=2026-11-16')],
    ['compares, and changes its mind', (reader) => reader.goTo('#against=2026-11-02', OLDEST)],
  ],
  brand: [
    ['enters the key', enter],
    ['scrolls', (reader) => reader.change('scroll', { scrollY: 300 })],
    ['chooses a brand', (reader) => reader.click('#content tbody tr:nth-child(2) a')],
    ['goes to a part', (reader) => reader.click('Sources')],
    ['reads a chart by the keyboard', (reader) => reader.press('.chart.scores', 'ArrowLeft')],
    ['reads further', (reader) => reader.press('.chart.scores', 'ArrowDown')],
    ['reads the first week', (reader) => reader.press('.chart.scores', 'Home')],
    ['goes no further', (reader) => reader.press('.chart.scores', 'ArrowLeft')],
    ['reads the next week', (reader) => reader.press('.chart.scores', 'ArrowRight')],
    ['reads the newest week', (reader) => reader.press('.chart.scores', 'End')],
    ['presses another key', (reader) => reader.press('.chart.scores', 'a')],
    ['leaves the chart', (reader) => reader.send(reader.find('.chart.scores'), 'blur')],
    ['reads the rivals', (reader) => reader.press('.chart.rivals', 'ArrowUp')],
    ['searches', (reader) => reader.fill('prompt-search', 'WHICH')],
    ['opens a prompt', (reader) => reader.click('#prompts tr:not([hidden]) button.row')],
    ['closes it', (reader) => reader.click('#prompts tr:not([hidden]) button.row')],
    ['opens it again', (reader) => reader.click('#prompts tr:not([hidden]) button.row')],
    ['filters those lost', (reader) => reader.fill('prompt-change', 'lost')],
    ['filters those won', (reader) => reader.fill('prompt-change', 'won')],
    ['searches for nothing', (reader) => reader.fill('prompt-search', '')],
    ['filters those named', (reader) => reader.fill('prompt-change', 'named')],
    ['filters those absent', (reader) => reader.fill('prompt-change', 'absent')],
    ['filters none', (reader) => reader.fill('prompt-change', '')],
    ['filters a tag', (reader) => reader.fill('prompt-tag', 'discovery')],
    ['sorts, which closes the prompt', (reader) => reader.click('#prompts [data-sort="2"]')],
    ['asks who is named instead', (reader) => reader.click('#instead button')],
    ['has a narrower window', (reader) => reader.change('resize', { innerWidth: 1000 })],
    ['reads the first week in it', (reader) => reader.press('.chart.scores', 'Home')],
    ['has a lower window', (reader) => reader.change('resize', { innerWidth: 1000 })],
    ['copies where it may not', (reader) => reader.click('[data-sheet=copy]'), { mayNotCopy: true }],
    ['saves the page', (reader) => reader.click('Save as file')],
    ['goes back to all', (reader) => reader.goBack()],
    ['goes to the oldest week', (reader) => reader.goTo(OLDEST)],
    ['chooses the brand, and changes its mind', (reader) => reader.goTo(`#brand=${FJORDFORGE}`, OLDEST)],
  ],
  every: [
    ['enters the key', enter],
    ['opens every brand', (reader) => reader.click('Every brand on one page')],
    ['downloads a table', (reader) => reader.click('Download CSV: visibility')],
    ['returns to the list', (reader) => reader.click('The list of brands')],
    ['changes its mind twice', (reader) => reader.goTo(OLDEST, `${OLDEST}&full=all`, OLDEST)],
    ['opens every brand, and changes its mind', (reader) => reader.goTo('#full=all', OLDEST)],
  ],
  faults: [
    ['enters the key without a connection', enter, { alter: () => null }],
    ['has a connection at the third attempt', enter, { alter: first(2, () => null) }],
    ['meets a fault of the service', (reader) => reader.click('Earlier'), { status: first(1, () => 503) }],
    ['has a key that is revoked', revokeKey],
    ['uses it', (reader) => reader.click('Every brand on one page')],
    ['asks for what is gone', enter, { status: () => 404 }],
    ['gets the week, and no list of weeks', enter, without('/snapshots', 500)],
    ['receives what is no JSON', enter, { alter: () => '<html>' }],
    ['returns', (reader) => reader.goTo('#brands')],
    ['receives an altered document', enter, replacing(/"totalMentions":\d+/, '"totalMentions":0')],
    ['sorts by a column in which a value is missing', (reader) => reader.click('Share of voice, %')],
    ['turns the order', (reader) => reader.click('Share of voice, %')],
    ['meets a proxy', (reader) => reader.goTo(`#brand=${FJORDFORGE}`), without('20261109', 403)],
    ['goes to a week without a proof', (reader) => reader.goTo(OLDEST), without('proof', 404)],
    ['saves it', (reader) => reader.click('Save as file'), without('proof', 404)],
    ['returns again', (reader) => reader.goTo('#brands')],
    ['sees no mistaken week', enter, replacing(/("id":"20261109T[^}]*"withdrawn":)null/, '$1"mistaken"')],
    ['sees no pruned week', enter, replacing(/("id":"20261102T[^}]*"isPruned":)false/, '$1true')],
    ['chooses a brand without answers', (reader) => reader.goTo(`#brand=${FJORDFORGE}`), unanswered],
  ],
  allowance: [
    ['enters the key', enter],
    ['has a smaller plan', async () => await allow(7)],
    ['goes to an earlier week', (reader) => reader.click('Earlier')],
    [
      'looks at it again when the minute ends',
      (reader) => {
        vi.setSystemTime(Math.ceil((Date.now() + 1) / 60_000) * 60_000);
        reader.goTo('#week=2026-11-09&against=2026-11-02');
      },
    ],
    ['saves the page', (reader) => reader.click('Save as file')],
    ['has a plan of 10 requests', async () => await allow(10)],
    ['chooses a brand, for more than a minute', (reader) => reader.click('#content tbody a'), altered],
    ['reads the first week', (reader) => reader.press('.chart.scores', 'Home')],
    ['reads a week with an event after 3 days', (reader) => reader.press('.chart.scores', 'ArrowRight')],
    ['reads a week with an event before 4 days', (reader) => reader.press('.chart.scores', 'ArrowRight')],
    ['starts a script, which uses up the minute', useUpMinute],
    ['opens a prompt', (reader) => reader.click('#prompts button.row')],
    [
      'leaves while the page waits',
      (reader) => {
        reader.faults = { status: first(1, () => (reader.goTo('#brands'), 429)) };
        reader.click('Every brand on one page');
      },
    ],
  ],
  empty: [
    ['opens one without a week', async (reader) => reader.enter(await gateway.createKey(withoutWeek))],
    ['opens one without brands', async (reader) => reader.enter(await gateway.createKey(withoutBrands))],
    ['opens one without answers', async (reader) => reader.enter(await gateway.createKey(otherWorkspaceId))],
    ['chooses the brand', (reader) => reader.fill('brand', globex.id)],
    ['scrolls', (reader) => reader.change('scroll', { scrollY: 400 })],
    ['chooses all', (reader) => reader.fill('brand', '')],
    ['follows the link to the brand, which begins at its top', (reader) => reader.click('#content tbody a')],
    ['opens every brand', (reader) => reader.click('Every brand on one page')],
  ],
};

test.each(Object.entries(walks))('a walk of a reader is golden/walks/%s.txt', async (name, steps) => {
  vi.setSystemTime(start + 3_600_000 * Object.keys(walks).indexOf(name)); // with the allowance of a new minute
  await allow(10_000);
  const reader = await Reader.open(gateway);
  const seen: string[] = [];
  for (const [what, act, faults = {}] of steps) {
    reader.faults = faults;
    await act(reader);
    await reader.settled();
    seen.push(`# ${what}\n${reader.changes()}\n`);
  }
  const withoutKeys = seen.join('\n').replaceAll(/[0-9a-f]{64}|[\w+/]{43,}=/g, '(of this run)');
  await expect(withoutKeys).toMatchFileSnapshot(join(import.meta.dirname, 'golden/walks', `${name}.txt`));
});
