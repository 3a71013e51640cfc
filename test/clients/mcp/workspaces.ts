import type { Documents } from '../../../lib/documents/schemas.ts';
import { brandInWeek } from '../../../lib/methodology/week.ts';
import { withdraw } from '../../adapters/publish.ts';
import { exampleDocuments } from '../../gateway/described-gateway.ts';
import type { DescribedGateway } from '../../gateway/described-gateway.ts';
import { setPlan, workspaceId } from '../../gateway/gateway.ts';
import { expectedText } from '../../golden/cases.ts';
import { brand, weekOf } from '../../snapshots/weeks.ts';

const idOf = (digit: number) => '11111111-1111-4111-8111-111111111111'.replaceAll('1', String(digit));

/** The workspaces of the calls. The first has the examples. */
const ids = {
  examples: workspaceId,
  weeks: idOf(3),
  large: idOf(4),
  many: idOf(5),
  withdrawn: idOf(6),
  empty: idOf(7),
  'no API in the plan': idOf(8),
  'no allowance left': idOf(9),
};

const steady = { named: [10, 10, 10], mentions: [100, 100, 100, 100] };
const fallen = { named: [0, 10, 11], mentions: [10, 100, 101, 99] };
const history = [steady, steady, steady, steady, steady, fallen];

const named = (name: string, digit: number) => ({ ...brand, id: brand.id.slice(0, -1) + digit, name });

/** After some of six weeks, of which the last has another model and a lower visibility. */
function documentsOf(day: string, cycles: number): Partial<Documents> {
  const { documents } = weekOf(history.slice(0, cycles));
  documents.visibility.perEngine[1]!.models = [cycles < history.length ? 'm-1' : 'm-2'];
  const brands = [brand, named('Twin', 2), named('TWIN', 3), named('Caf\u00e9', 4)];
  return {
    ...documents,
    brands: brands.map((each) => ({ ...each, createdAt: '2026-01-05T00:00:00.000Z' })),
    week: { asOf: `${day}T06:00:00.000Z`, brands: [brandInWeek(documents)] },
  };
}

const texts = (letters: string, count: number) => Array.from(letters, (letter) => letter.repeat(count));

/** Three rows of 9,000 bytes fit in a result; the last two rows do not fit by themselves. */
function largeDocuments(): Partial<Documents> {
  const { results, visibility, brands, week } = exampleDocuments;
  const engine = results.prompts[0]!.engines[0]!;
  const evidence = texts('abcde', 9000).map((path) => ({ url: `https://a.example/${path}`, sha256: null }));
  const prompts = [
    ...texts('klmn', 9000).map((promptText) => ({ promptText, engines: [engine] })),
    { promptText: 'Many addresses', engines: [{ ...engine, evidence }] },
    { promptText: `A long text ${'ü'.repeat(20_000)}`, engines: [{ ...engine, evidence }] },
  ].map((row, index) => ({ promptId: idOf(index), ...row }));
  const event = { date: '2026-11-15', slug: null, url: null };
  const events = texts('uvw', 12_000).map((text) => ({ ...event, text }));
  const names = texts('opqrs', 9000).map((name, index) => ({ id: idOf(index), name, domain: '' }));
  return {
    results: { ...results, prompts },
    visibility: { ...visibility, events },
    brands: names.map((each) => ({ ...brands[0]!, ...each })),
    week: { ...week, brands: names.map((each) => ({ ...week.brands[0]!, brand: each })) },
  };
}

/** Events with and without an engine, and silent engines. */
function visibilityOfMany(): Documents['visibility'] {
  const slugs = [null, 'claude', 'grok'] as const;
  const events = slugs.map((slug) => ({ date: '2026-11-15', slug, text: 'A new model', url: null }));
  const silent = slugs.flatMap((slug) => (slug === null ? [] : { slug, lastAnswered: null, runs: 30 }));
  return { ...exampleDocuments.visibility, events, silent };
}

/** Publishes what the calls ask for, in a gateway with the examples. */
export async function publishWorkspaces(gateway: DescribedGateway) {
  const { log, records } = gateway;
  const keys: Record<string, string> = { 'an unknown key': `vis_${'0123456789ab'.repeat(4)}` };
  for (const [name, id] of Object.entries(ids)) {
    const plan = name === 'no API in the plan' ? 'starter' : 'agency';
    await setPlan(records, id, plan, name === 'no allowance left' ? 0 : 1_000_000);
    keys[name] = await gateway.createKey(id);
  }
  /** The ids of the snapshots of `weeks` by day, published in this order. */
  const snapshots: Record<string, string> = {};
  const days = { '2026-02-02': 5, '2026-01-26': 4, '2026-01-19': 3, '2026-02-10': 6, '2026-02-09': 6 };
  for (const [day, cycles] of Object.entries(days))
    snapshots[day] = await gateway.publish(day, documentsOf(day, cycles), ids.weeks);
  const withdrawn = { '2026-01-26': 'pruned', '2026-01-19': 'lost', '2026-02-10': 'mistaken' } as const;
  const withdrawals = Object.entries(withdrawn).map(([day, reason]) => ({
    snapshotId: snapshots[day]!,
    reason,
  }));
  await withdraw(log, ids.weeks, withdrawals);
  await gateway.publish('2026-11-17', largeDocuments(), ids.large);
  const [first] = Object.values(JSON.parse(expectedText('questions')) as Record<string, Documents>);
  first!.week.brands[2]!.engines[3]!.isLasting = true; // of an engine that is silent
  await gateway.publish('2026-11-16', { week: first!.week, visibility: visibilityOfMany() }, ids.many);
  const snapshotId = await gateway.publish('2026-11-17', {}, ids.withdrawn);
  await withdraw(log, ids.withdrawn, [{ snapshotId, reason: 'mistaken' }]);
  await gateway.documents.refresh();
  return { keys, snapshots };
}
