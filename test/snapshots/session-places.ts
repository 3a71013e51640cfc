import { join } from 'node:path';
import { markLake } from '../../lib/store/lake.ts';
import { readSigner } from '../../snapshots/signing.ts';
import type { SnapshotContent } from '../../snapshots/publish/write-snapshot.ts';
import type { Signer } from '../../snapshots/signing.ts';
import { FROZEN } from '../frozen/commands.ts';
import { contentOfDocuments, encodeDocuments, encodeList } from './documents.ts';
import { workspaceIds } from './history.ts';
import { copyOf, placeOf, publishAll, withdraw } from './log/places.ts';
import type { Place } from './log/places.ts';
import { publishSnapshot, publishWeek } from './publish.ts';
import { brand, weekOf } from './weeks.ts';
import type { Week } from './weeks.ts';

const completeness = { newestCycle: '2026-11-15', expected: 40, delivered: 39, percent: 97.5 };
const inputs = Array.from({ length: 12 }, (_, at) => ({ path: `runs/2026/${at}`, sha256: '5e'.repeat(32) }));

/** The clock stands still: what is committed must not depend on how often it is read. */
const still = (place: Place): Place => ({ ...place, clock: { now: () => Date.UTC(2026, 10, 16, 7) } });

/** Few documents: writing the files of a store takes longer than a command. */
async function publish(place: Place, id: string, week: string, fields: Partial<SnapshotContent> = {}) {
  await publishWeek(place, id, week, fields, ['sources']);
}

/**
 * `history`: four weeks of workspace A; of B two weeks, of which the first was corrected. `later`, `fork` and `longer`
 * continue it, `other` is another log. `small`: two workspaces with one document each, of which one was mistaken.
 */
export async function sessionPlaces() {
  const signer = await readSigner(join(FROZEN, 'key.private.pem'));
  const [a, b] = workspaceIds;
  const history = placeOf(signer);
  await markLake(history.lake);
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

/** Two brands may have one name. */
const added = { ...brand, id: '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c03', name: 'Quiet' };
const domain = `${'q'.repeat(52)}.example`; // as long as what diff prints whole
const quiet = { ...added, id: '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c02', domain };
const history = Array.from({ length: 8 }, () => ({ named: [10, 10, 10], mentions: [50, 50, 50, 50] }));
const fallen = { named: [0, 10, 11], mentions: [200, 50, 50, 51] };

/** Two weeks of documents as the job computes them: of one brand only the domain changes, and one is added. */
async function twoWeeks(signer: Signer): Promise<Place> {
  const place = placeOf(signer);
  const [earlier, later] = [weekOf(history), weekOf([...history, fallen])];
  setResult(earlier, { position: 2 });
  setResult(later, { isNamed: false, change: 'lost', wasNamed: true, previousPosition: 2 }, 2);
  later.documents.timeline.names.push({ name: 'Rival 1', isBrand: false, engines: [] });
  for (const [week, model, brands] of [
    [earlier, 'm-1', [brand, quiet]],
    [later, 'm-2', [brand, { ...quiet, domain: `q${domain}` }, added]],
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

/** One prompt in a week, with the same result on some of the engines. */
function setResult(week: Week, result: object, count = 1): void {
  const others = { position: null, previousDate: null, wasNamed: null, previousPosition: null, evidence: [] };
  const engines = week.documents.visibility.perEngine
    .slice(0, count)
    .map(({ slug, date }) => ({ slug, date }));
  week.documents.results.prompts = [
    {
      promptId: 'dddddddd-0000-4000-8000-000000000001',
      promptText: 'Which is best?',
      engines: engines.map((each) => ({ ...each, isNamed: true, change: 'new', ...others, ...result })),
    },
  ];
}
