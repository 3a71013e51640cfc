import { join } from 'node:path';
import { markLake } from '../../lib/store/lake.ts';
import { readSigner } from '../../snapshots/signing.ts';
import type { Signer } from '../../snapshots/signing.ts';
import { FROZEN } from '../frozen/commands.ts';
import { contentOfDocuments, encodeDocuments, encodeList } from './documents.ts';
import { workspaceIds } from './history.ts';
import { copyOf, placeOf, publishAll, withdraw } from './log/places.ts';
import type { Place } from './log/places.ts';
import { publishSnapshot, publishWeek } from './publish.ts';
import { brand, weekOf } from './weeks.ts';
import type { Week } from './weeks.ts';

/** Command lines of the auditor and the operator; golden/ has what each prints. */

const SOME = 'store/workspaces/$A/snapshots';

/** In a folder with the store `store` and its lake; `later` has one week more, and `fork` another one. */
export const stories: Record<string, string[]> = {
  help: ['list', 'show', 'verify', 'diff', 'rebuild', 'prune', 'keygen', 'withdraw', 'rotate', 'log', '']
    .map((command) => `audit ${command} --help`)
    .concat(
      ['complete', 'prove', 'key'].map((command) => `audit log ${command} --help`),
      ['audit --version', 'audit', 'audit shows', 'audit list --all'],
    ),
  list: [
    'audit list',
    'audit list --json',
    'audit list --workspace $B',
    'audit list --workspace 99999999-3a6e-4f0f-9c57-0c8f7a5a1c09',
    'audit list --workspace nobody',
    'audit list --store nowhere',
    'audit list --store ftp://nowhere',
    'mkdir empty',
    'audit list --store empty',
    'rm store/workspaces/$A/histories store/workspaces/$B/snapshots/20261116*/*.manifest.json',
    'audit list',
  ],
  show: [
    'audit show --workspace $A',
    'audit show previous --workspace $B',
    'audit show --json --workspace $A',
    'audit show',
    ...[
      ...['--document brands', 'previous --document week', '2026-11-04 --document week'],
      ...['2026-11-16 --document week', '20261026 --document week --json'],
      ...['--as-of 2026-11-08 --document week', '--table visibility', '--document sources --brand Second'],
      '--document sources --brand 22222222-3A6E-4F0F-9C57-0C8F7A5A1C02',
      ...['--document sources', '--document sources --brand Third', '--document cover'],
      ...['--table visibility --document week', '--table events', '--table covers'],
      ...['2026-01-01', '2026-02-30', '20261231', '2026', '--as-of 2026-01-01', '--as-of monday', 'next'],
    ].map((words) => `audit show ${words} --workspace $A`),
    'audit show 20261109 --workspace $B',
    'audit show current --workspace 99999999-3a6e-4f0f-9c57-0c8f7a5a1c09',
    `replace 2026 2062 ${SOME}/20261116*/brands.json`,
    'audit show --document brands --workspace $A',
  ],
  prove: [
    'audit log prove previous --workspace $A',
    'cat 20261109T060000.000Z-*.tlog-proof',
    'audit log prove 2026-11-16 --workspace $B --out - --json',
    'audit log prove current --workspace $B --out nowhere/proof',
    'audit log prove --workspace $B',
    'rm store/log/tile/0/000.p/14',
    'audit log prove current --workspace $A --state none',
  ],
  verify: [
    ...['', '--json', 'current --workspace $B --json', 'previous', '--as-of 2026-11-09 --workspace $B'],
    ...['2026-11-04 --workspace $A', '2026-01-01 --workspace $A', '--workspace $A', '--store nowhere'],
    '--workspace 99999999-3a6e-4f0f-9c57-0c8f7a5a1c09',
    ...['--read-data-subset 2/3', '--read-data-subset today/7', '--read-data-subset 3/3 --workspace $A'],
    ...['--read-data-subset 5/4', '--read-data-subset 0/4', '--not-older-than 5d', '--not-older-than 4d'],
    ...['--not-older-than 4', '--checkpoint store/log/checkpoint', '--checkpoint later/log/checkpoint'],
    ...['--checkpoint no.note', '--checkpoint fork/log/checkpoint --store later'],
  ]
    .map((words) => `audit verify ${words}`.trim())
    .concat(
      'mkdir empty',
      'audit verify --store empty',
      'audit verify --store empty --allow-empty',
      'audit verify --store empty --allow-empty --checkpoint store/log/checkpoint',
      'audit verify --workspace $B --checkpoint later/log/checkpoint',
      'audit verify current --workspace $B --checkpoint later/log/checkpoint',
      'AT=2026-11-16T06:55:00Z audit verify --workspace $B',
      'AT=2026-11-16T06:54:59Z audit verify --workspace $B',
      'LOG_ORIGIN=other.example/log audit verify',
      'LOG_ORIGIN= audit verify --workspace $B',
      'audit verify --metrics-file verify.prom',
      'cat verify.prom',
      'audit verify --metrics-file part.prom --workspace $A',
      'ls *.prom',
      `replace 2026 2062 ${SOME}/20261109*/brands/*/*.json`,
      'audit verify --read-data-subset 1/2',
      'audit verify --read-data-subset 2/2',
      'audit verify --workspace $B',
      `replace 2026 2062 ${SOME}/20261116*/tables/visibility.json`,
      'audit verify --read-data-subset 1/2 --metrics-file verify.prom',
      'cat verify.prom',
    ),
  state: [
    'cp store older',
    'audit list --workspace $B',
    'cat states/sightline/logs/*.checkpoint',
    'rm store',
    'cp later store',
    'audit list --workspace $B',
    'cat states/sightline/logs/*.checkpoint',
    'rm store',
    'cp fork store',
    ...[
      'list',
      'show --workspace $A',
      'diff --workspace $A',
      'log prove current --workspace $A',
      'verify',
    ].map((words) => `audit ${words}`),
    'cat states/sightline/logs/*.checkpoint.refused-*',
    'audit list --state none --workspace $B',
    ...['later', 'later', 'fork', 'longer', 'older', 'other'].flatMap((store) => [
      `LOG_ORIGIN= audit verify --state kept.note --store ${store}`,
      `LOG_ORIGIN= audit list --state kept.note --store ${store} --workspace $B`,
    ]),
    'cat kept.note',
    'audit verify --state older.note --store older --workspace $A',
    'audit verify --state .kept',
    'audit verify --state s3://bucket',
    'audit verify --state folder/',
    'write x kept.note',
    'audit verify --state kept.note',
    'audit list --state kept.note',
  ],
  prune: [
    'audit prune --keep 1',
    'audit prune --keep 0',
    'audit prune --keep 2026-02-30',
    'audit prune',
    'audit prune --keep 1 --workspace 99999999-3a6e-4f0f-9c57-0c8f7a5a1c09',
    'SIGNING_KEY_FILE= audit prune --keep 1',
    'AT=2027-01-15T07:00:01Z audit prune --keep 1 --yes',
    'AT=2027-01-15T07:00:00Z audit prune --keep 9 --yes',
    'AT=2026-11-16T06:54:59Z audit prune --keep 9 --yes',
    'AT=2026-11-16T06:55:00Z audit withdraw 20261026 --reason mistaken --workspace $A',
    'cp store before',
    'audit prune --keep 2 2026-10-27 --yes',
    'audit list',
    'audit verify',
    'audit show 20261102 --workspace $A --document brands',
    'audit show 2026-11-02 --workspace $A',
    `cp before/workspaces/$A/snapshots ${SOME}`,
    'audit verify --workspace $A',
    'audit prune --keep 2 2026-10-27 --workspace $A --yes --json',
    `ls ${SOME}/20261102*/**`,
    'write altered store/workspaces/$B/snapshots/20261109*/brands.json',
    'write x store/stray.txt',
    'audit prune --keep 1',
    'AT=2027-01-15T07:00:01Z audit prune --keep 1 --yes --accept-clock',
    'audit verify',
    'write x store/log/tile/0/000.p/14',
    'audit prune --keep 3',
  ],
  withdraw: [
    'audit withdraw current --reason mistaken',
    ...[
      ...['--reason mistaken', 'current --all --reason removed', '--all-lost --reason mistaken'],
      ...['current --reason removed', '--all --reason lost', 'current --reason wrong', 'current'],
      ...['current --reason lost', '--all-lost --reason lost', '2020-01-01 --reason mistaken'],
    ].map((words) => `audit withdraw ${words} --workspace $A`),
    `rm ${SOME}/20261102*/brands.json`,
    `replace 2026 2062 ${SOME}/20261116*/*.manifest.json`,
    'audit withdraw --all-lost --reason lost --workspace $A',
    'audit withdraw current --reason mistaken --workspace $A',
    'audit list --workspace $A',
    'audit verify',
    'audit show 2026-11-10 --workspace $A --document week',
    'audit show 20261109 --workspace $A --document week',
    'audit withdraw 20261116 --reason lost --workspace $A',
    `rm ${SOME}/20261109*/brands.json store/inputs/*`,
    'audit verify',
    'audit withdraw 20261109 --reason lost --workspace $A --json',
    'rm store/workspaces/$B/snapshots',
    'audit withdraw --all-lost --reason lost --workspace $B',
    'audit withdraw current --reason lost --workspace $B',
    'audit withdraw --all-lost --reason lost --workspace 99999999-3a6e-4f0f-9c57-0c8f7a5a1c09',
  ],
  removed: [
    `cp ${SOME}/20261116* ${SOME}/20270101T000000.000Z-0123456789abcdef`,
    'write x store/workspaces/$A/Thumbs.db',
    'audit verify',
    'audit withdraw --all --reason removed --workspace $A',
    'ls store/workspaces/$A/**',
    'audit withdraw --all --reason removed --workspace $A --json',
    'audit list',
    'audit show --workspace $A',
    'audit verify',
    `cp later/workspaces/$A/snapshots ${SOME}`,
    'audit verify',
  ],
  complete: [
    'audit log complete',
    'rm store/heads/* store/log/tile/0/000.p/14 store/workspaces/$A/histories',
    'replace publications x store/workspaces/$B/histories/* store/log/tile/0/000.p/12',
    'write x store/log/tile/entries/000.p/14',
    'audit list --state none',
    'audit log complete',
    'audit verify',
    `rm ${SOME}/20261116*/*.manifest.json ${SOME}/20261109*/week.json store/inputs/*`,
    `replace 2026 2062 ${SOME}/20261102*/brands.json ${SOME}/20261026*/*.manifest.json`,
    'audit log complete --from later --json',
    'audit verify',
    'rm store/log',
    'audit log complete --json',
    ...['--from nowhere', '--from ftp://nowhere', '--from later --from-store', '--checkpoint kept'].map(
      (words) => `audit log complete ${words}`,
    ),
    'audit log complete --lake-is-lost',
    'LOG_ORIGIN=other.example/log audit prune --keep 1',
    'rm store',
    'cp fork store',
    'audit log complete',
    'audit log complete --from-store --checkpoint later/log/checkpoint',
    'replace 1.0 2.0 store/log/tile/entries/000.p/16',
    'audit log complete --from-store',
    'rm store',
    'cp later store',
    'replace sightline sigitline store/log/checkpoint',
    'audit log complete',
    'cp store older',
    'audit withdraw current --workspace $B --reason mistaken',
    'rm store',
    'cp older store',
    'audit log complete --from-store',
    'audit prune --keep 3 --yes',
    'audit log complete',
  ],
  'lost-lake': [
    'rm lake/log',
    'audit log complete',
    'audit prune --keep 1',
    'audit log complete --from-store',
    'audit log complete --from-store --checkpoint later/log/checkpoint',
    'LOG_ORIGIN=other.example/log audit log complete --from-store',
    'audit log complete --from-store --checkpoint store/log/checkpoint --lake-is-lost',
    'audit log complete',
    'audit verify',
    'write x lake/log/*/committed.json',
    'audit prune --keep 1',
    'rm lake/lake.txt',
    'audit log complete',
  ],
  many: [
    'audit show',
    'audit show 20260105 --workspace 0b5ef0a4-3a6e-4f0f-9c57-000000000000 --table visibility',
  ],
  diff: [
    ...['', '--all --brand 0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c01', '--label "models changed" --json'],
    ...['--brand Acme --label "insufficient data"', '--brand Quiet', 'current previous', 'current current'],
    ...['--as-of 2026-02-23 2026-03-02 --brand Acme --label moved', '--as-of 2026-02-23', '--as-of 2026-02'],
    ...['--as-of 2026-02-23 2026-03-02 2026-03-09', '--label changed', '--brand Unknown', 'previous'],
  ].map((words) => `audit diff ${words}`.trim()),
  keys: [
    'audit keygen --out keys/next',
    'ls keys/*',
    'audit keygen --out keys/next',
    'rm keys/next.private.pem',
    'audit keygen --out keys/next',
    'ls keys/*',
    'rm keys',
    'write x file',
    'audit keygen --out keys/next --json',
    'audit keygen --out file/next',
    'audit keygen',
    'audit log key',
    'LOG_ORIGIN= audit log key',
    'LOG_ORIGIN=a+b audit log key',
    'LOG_ORIGIN= audit log key --store s3://bucket',
    'PUBLIC_KEY_FILE= audit log key',
    'PUBLIC_KEY_FILE= PUBLIC_KEY=$ONE_LINE audit verify --workspace $B',
    'audit rotate --to keys/next.public.pem',
    'audit rotate',
    'cp store older',
    'audit rotate --to keys/next.private.pem',
    'PUBLIC_KEY_FILE=keys/next.public.pem audit verify --store older',
    'AT=2026-11-26T07:00:00Z audit verify --not-older-than 9d --workspace $B',
    'audit prune --keep 1 --yes',
    'audit log complete',
    'audit log complete --from-store',
    'PUBLIC_KEY_FILE=keys/next.public.pem audit verify --workspace $B',
    'audit prune --keep 1',
    'SIGNING_KEY_FILE=keys/next.private.pem audit withdraw current --workspace $A --reason mistaken',
    'audit verify --workspace $B',
    'write x text.pem',
    'audit verify --workspace $B --public-key text.pem',
    'audit verify --workspace $B --public-key $PUBLIC --public-key keys/next.public.pem',
    'audit verify --workspace $B --public-key no.pem',
    'audit verify --workspace $B --public-key keys/next.private.pem',
    'write $X25519 x25519.pem',
    'audit verify --workspace $B --public-key x25519.pem',
    'PUBLIC_KEY=x audit verify',
    'PUBLIC_KEY_FILE= PUBLIC_KEY=x audit verify',
    'SIGNING_KEY_FILE=text.pem audit prune --keep 1',
    'audit rotate --to $PRIVATE --old-key-is-lost --json',
    'audit rotate --to $PRIVATE --old-key-is-lost',
  ],
};

/** On the frozen store and lake, of an earlier version: with a document gone or altered, then without some inputs. */
export const rebuildStory = [
  'audit verify',
  'audit rebuild --all current',
  'audit rebuild --threads 0',
  'audit rebuild 2020-01-01',
  'rm store/workspaces/*/snapshots/20261109*/brands.json',
  'replace Oscorp Other store/workspaces/*/snapshots/20261116*/week.json',
  'audit rebuild --as-of 2026-11-09 --repair --threads 1',
  'audit rebuild --threads 1',
  'rm store/workspaces/*/snapshots/20261109*/*.manifest.json lake/tracking/brands/*/*',
  'write x lake/runs/cycle=2026-11-13/b*',
  'audit rebuild --all',
];

const completeness = { newestCycle: '2026-11-15', expected: 40, delivered: 39, percent: 97.5 };
const inputs = Array.from({ length: 12 }, (_, at) => ({ path: `runs/2026/${at}`, sha256: '5e'.repeat(32) }));

/** The clock stands still: what is committed must not depend on how often it is read. */
const still = (place: Place): Place => ({ ...place, clock: { now: () => Date.UTC(2026, 10, 16, 7) } });

/**
 * `history`: four weeks of workspace A; of B two weeks, of which the first was corrected. `later`, `fork` and `longer`
 * continue it, `other` is another log. `small`: two workspaces with one document each, of which one was mistaken.
 */
export async function storyPlaces() {
  const signer = await readSigner(join(FROZEN, 'key.private.pem'));
  const [a, b] = workspaceIds;
  const history = placeOf(signer);
  await markLake(history.lake);
  // Few documents: writing the files of a store takes longer than a command.
  const publish = async (place: Place, id: string, week: string, fields = {}) =>
    await publishWeek(place, id, week, fields, ['sources']);
  for (const week of ['2026-10-26', '2026-11-02', '2026-11-09']) await publish(history, a, week);
  await publish(history, a, '2026-11-16', { workspaceName: 'Fjord & Co', completeness, inputs });
  await publish(history, b, '2026-11-09');
  await publish(history, b, '2026-11-09', { methodologyVersion: '1.1' });
  await publish(history, b, '2026-11-16');
  const [later, fork] = [copyOf(history), copyOf(history)];
  await publish(later, a, '2026-11-19');
  await publish(fork, b, '2026-11-19');
  const longer = copyOf(fork);
  await publish(longer, b, '2026-11-20');
  const other = { ...placeOf(signer), origin: 'other.example/log' };
  await publish(other, b, '2026-11-20');
  const [small, many] = [still(placeOf(signer)), still(placeOf(signer))];
  await publishAll(small, 0, [0, 1]);
  await withdraw(small, 1);
  await publishAll(many, 0, [0, 1, 2, 3, 4, 5]);
  return { history, later, fork, longer, other, small, many, weeks: await twoWeeks(signer) };
}

const quiet = { ...brand, id: '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c02', name: 'Quiet' };
const added = { ...brand, id: '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c03', name: 'Added' };
const history = Array.from({ length: 8 }, () => ({ named: [10, 10, 10], mentions: [50, 50, 50, 50] }));
const fallen = { named: [0, 10, 11], mentions: [200, 50, 50, 51] };

/** Two weeks of documents as the job computes them: one brand is as before, and one is added. */
async function twoWeeks(signer: Signer): Promise<Place> {
  const place = placeOf(signer);
  const [earlier, later] = [weekOf(history), weekOf([...history, fallen])];
  setResult(earlier, { position: 2 });
  setResult(later, { isNamed: false, change: 'lost', wasNamed: true, previousPosition: 2 });
  for (const [week, model, brands] of [
    [earlier, 'm-1', [brand, quiet]],
    [later, 'm-2', [brand, quiet, added]],
  ] as const) {
    week.documents.visibility.perEngine[1]!.models = [model];
    const documents = brands.flatMap(({ id }) =>
      encodeDocuments(id, (id === quiet.id ? earlier : week).documents),
    );
    const list = encodeList(brands.map((each) => ({ ...each, createdAt: '2026-01-05T00:00:00.000Z' })));
    await publishSnapshot(still(place), contentOfDocuments(workspaceIds[0], week.asOf, [list, ...documents]));
  }
  return place;
}

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
