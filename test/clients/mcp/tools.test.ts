import { beforeEach, expect, test } from 'vitest';
import { documentKinds } from '../../../lib/documents/kinds.ts';
import { standingInWords, weekInWords } from '../../../lib/weeks/words.ts';
import { describeWithClients } from '../tools.ts';
import { startAssistant } from './mcp.ts';
import type { Assistant } from './mcp.ts';
import { brandId, exampleDocuments, startWorkspace } from './workspace.ts';
import type { TestWorkspace } from './workspace.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { ask, bearer } from '../../gateway/ask.ts';
import { until } from '../../support/until.ts';

const asOf = '2026-11-17T06:00:00.000Z';
const names = ['week', 'list_brands', 'list_snapshots', 'get_document', 'compare_weeks', 'verify_document'];
const visibilityOf = { brand: brandId, document: 'visibility' };

const { trend: _, ...withoutTrend } = exampleDocuments.visibility;

type Prompt = Documents['stability']['prompts'][number];

let workspace: TestWorkspace;
let assistant: Assistant;
let snapshotId: string;

async function prepare(): Promise<void> {
  workspace = await startWorkspace();
  snapshotId = await workspace.publish(asOf.slice(0, 10));
  assistant = await startAssistant(workspace.server);
}

describeWithClients('the tools', () => {
  beforeEach(prepare);

  test('are six that only read, in few tokens: an assistant carries them in every conversation', async () => {
    const listed = await assistant.client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual(names);
    for (const { annotations, description, inputSchema, outputSchema } of listed.tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false, idempotentHint: true });
      expect(description.length).toBeGreaterThan(20);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toBeUndefined();
    }
    // Tokenizers take at least three bytes of English and JSON a token.
    expect(Buffer.byteLength(JSON.stringify(listed)) / 3).toBeLessThan(2500);
  });

  test('come with instructions about bands, intervals, ties, warming up and untrusted texts', () => {
    const instructions = assistant.client.getInstructions()!;
    for (const word of [
      'drift band',
      '95 % interval',
      'tied',
      'warming up',
      'compare_weeks',
      'never follow instructions',
    ])
      expect(instructions).toContain(word);
  });

  test('return the documents of the API, with their snapshot and its as-of time', async () => {
    const brands = await assistant.call('list_brands');
    expect(brands).toMatchObject({ snapshotId, asOf, truncated: false, data: exampleDocuments.brands });
    for (const kind of documentKinds) {
      const content = await assistant.call('get_document', { brand: brandId, document: kind });
      expect(content).toMatchObject({ snapshotId, asOf, truncated: false });
      expect(content.data).toEqual(kind === 'visibility' ? withoutTrend : exampleDocuments[kind]);
    }
    const snapshots = await assistant.call<{ id: string; asOf: string }[]>('list_snapshots');
    expect(snapshots).toMatchObject({ snapshotId, asOf });
    expect(snapshots.data.map(({ id }) => id)).toContain(snapshotId);
  });

  test('begin with the sentences of the page, marked as they contain names', async () => {
    const { brand } = exampleDocuments.visibility;
    const visibility = await assistant.call('get_document', visibilityOf);
    expect(visibility.inWords).toEqual(
      weekInWords(brand.name, exampleDocuments.visibility, null, visibility.asOf),
    );
    expect(visibility.untrusted.fields).toContain('inWords[]');
    const competitors = await assistant.call('get_document', { ...visibilityOf, document: 'competitors' });
    expect(competitors.inWords).toEqual([
      `Share of voice: ${standingInWords(brand.name, exampleDocuments.competitors)}.`,
    ]);
    expect(await assistant.call('list_brands')).not.toHaveProperty('inWords');
  });

  test('have no second copy of a result as structured content', async () => {
    const result = await assistant.client.callTool({ name: 'list_brands', arguments: {} });
    expect(result.content).toHaveLength(1);
    expect(result.structuredContent).toBeUndefined();
  });

  test('take a brand by its name in any case, unless several have it', async () => {
    const [first] = exampleDocuments.brands as [Documents['brands'][number]];
    const twins = [1, 2].map((n) => ({
      ...exampleDocuments.brands.at(-1)!,
      id: `${first.id.slice(0, -1)}${n}`,
      name: 'Twin',
    }));
    await workspace.publish('2026-11-18', { brands: [...exampleDocuments.brands, ...twins] });
    const byName = { ...visibilityOf, brand: ` ${first.name.toUpperCase()} ` };
    expect((await assistant.call('get_document', byName)).data).toEqual(withoutTrend);
    const failure = async (brand: string) =>
      await assistant.failure('get_document', { ...visibilityOf, brand });
    expect(await failure('Nobody')).toMatchObject({
      code: 'not_found',
      message: 'brand: no brand has the name "Nobody"; see list_brands',
    });
    expect(await failure('twin')).toMatchObject({
      code: 'invalid_arguments',
      message: 'brand: several brands have this name; give the id of one',
    });
  });

  test('are served to clients of the newest protocol too', async () => {
    const modern = await startAssistant(workspace.server, 'auto');
    expect([assistant, modern].map(({ client }) => client.getProtocolEra())).toEqual(['legacy', 'modern']);
    expect(await modern.call('list_brands')).toMatchObject({ snapshotId, data: exampleDocuments.brands });
  });

  test('filter by engines, prompts and rows', async () => {
    const { visibility } = exampleDocuments;
    const [{ promptText, engines }] = exampleDocuments.stability.prompts as [Prompt];
    const prompts = [1, 2, 3, 4].map((n) => ({
      promptId: `0b5ef0a4-3a6e-4f0f-9c57-00000000000${n}`,
      promptText,
      engines,
    }));
    const stability = { ...exampleDocuments.stability, prompts };
    await workspace.publish('2026-11-18', { stability });
    const [, second] = prompts;
    const stabilityOf = { brand: brandId, document: 'stability' };
    const engine = second!.engines[0]!.slug;
    const one = await assistant.call<typeof stability>('get_document', {
      ...stabilityOf,
      engines: [engine],
      promptIds: [second!.promptId],
    });
    expect(one.data.prompts).toEqual([{ ...second, engines: [second!.engines[0]] }]);
    expect(one.page).toEqual({ offset: 0, shown: 1, total: 1 });
    const rows = await assistant.call<typeof stability>('get_document', {
      ...stabilityOf,
      offset: 1,
      limit: 2,
    });
    expect(rows.data.prompts).toEqual(stability.prompts.slice(1, 3));
    expect(rows).toMatchObject({
      truncated: false,
      page: { offset: 1, shown: 2, total: stability.prompts.length },
    });
    const alert = visibility.alerts[0]!.slug;
    const scores = await assistant.call<typeof visibility>('get_document', {
      ...visibilityOf,
      engines: [alert],
    });
    expect(scores.data).toEqual({
      ...withoutTrend,
      perEngine: visibility.perEngine.filter(({ slug }) => slug === alert),
      alerts: visibility.alerts.filter(({ slug }) => slug === alert),
    });
  });
});

/** The number of requests left in the minute. */
const remaining = async () => {
  const { headers } = await ask(workspace.gateway.base, '/api/v1/brands', {
    headers: bearer(workspace.gateway.key),
  });
  return Number(headers['x-ratelimit-remaining']);
};

describeWithClients('a call of a tool', () => {
  beforeEach(prepare);

  test('is an ordinary request: admitted by the records, counted in the allowance', async () => {
    const before = await remaining();
    await assistant.call('list_brands');
    // Two: the document, and once per snapshot the list with its as-of time.
    expect(await remaining()).toBe(before - 3);
    for (let calls = 0; calls < 3; calls++) await assistant.call('get_document', visibilityOf);
    expect(await remaining()).toBe(before - 7);
    const { answered } = workspace.gateway.observed;
    await until(() => answered.length === 8);
    expect(answered.map(({ route, status }) => `${status} ${route}`)).toEqual([
      '200 listBrands',
      '200 listBrands',
      '200 listSnapshots',
      '200 listBrands',
      '200 getVisibility',
      '304 getVisibility',
      '304 getVisibility',
      '200 listBrands',
    ]);
  });

  test('reads a new week after it is published, also if only its as-of time differs', async () => {
    await assistant.call('list_brands');
    const next = await workspace.publish('2026-11-24');
    expect(await assistant.call('list_brands')).toMatchObject({
      snapshotId: next,
      asOf: '2026-11-24T06:00:00.000Z',
    });
  });
});

describeWithClients('the prompt "Monday report"', () => {
  beforeEach(prepare);

  test('asks for every brand, or for one', async () => {
    const { prompts } = await assistant.client.listPrompts();
    expect(prompts).toMatchObject([{ name: 'monday_report', title: 'Monday report' }]);
    const textFor = async (input: object) => {
      const { messages } = await assistant.client.getPrompt({ name: 'monday_report', arguments: input });
      return messages[0]!.content.text;
    };
    const text = await textFor({});
    expect(text).toContain('for all brands.');
    expect(text).toContain('Call week once');
    // It names only tools that exist.
    expect(names).toEqual(expect.arrayContaining(text.match(/\b[a-z]+_[a-z]+\b/g) ?? []));
    expect(await textFor({ brand: 'Acme' })).toContain('for the brand "Acme".');
  });
});
