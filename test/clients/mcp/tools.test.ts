import { beforeEach, expect, test } from 'vitest';
import { documentKinds } from '../../../lib/documents/kinds.ts';
import { describeWithClients } from '../tools.ts';
import { startAssistant } from './mcp.ts';
import type { Assistant } from './mcp.ts';
import { brandId, exampleDocuments, startWorkspace } from './workspace.ts';
import type { TestWorkspace } from './workspace.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { pageText } from '../../docs/pages.ts';
import { makeTestKeys } from '../../snapshots/history.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ask, bearer } from '../../gateway/ask.ts';
import { until } from '../../support/until.ts';

const asOf = '2026-11-17T06:00:00.000Z';
const toolOf = {
  visibility: 'get_visibility',
  results: 'get_results',
  stability: 'get_stability',
  competitors: 'get_competitors',
  sources: 'get_sources',
  prompts: 'list_prompts',
} as const;

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

  test('are at most twelve, only read, and have schemas for input and output', async () => {
    const { tools } = await assistant.client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(
      [
        'list_brands',
        ...Object.values(toolOf),
        'list_snapshots',
        'get_document_as_of',
        'compare_weeks',
        'verify_document',
      ].toSorted(),
    );
    expect(tools.length).toBeLessThanOrEqual(12);
    for (const { annotations, description, inputSchema, outputSchema } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false, idempotentHint: true });
      expect(description.length).toBeGreaterThan(20);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema.required).toEqual(['snapshotId', 'asOf', 'truncated', 'untrusted', 'data']);
    }
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
      const content = await assistant.call(toolOf[kind], { brandId });
      expect(content).toMatchObject({ snapshotId, asOf, truncated: false });
      expect(content.data).toEqual(exampleDocuments[kind]);
    }
    const snapshots = await assistant.call<{ id: string; asOf: string }[]>('list_snapshots');
    expect(snapshots).toMatchObject({ snapshotId, asOf });
    expect(snapshots.data.map(({ id }) => id)).toContain(snapshotId);
  });

  test('the text of a result is its structured content', async () => {
    const result = await assistant.client.callTool({ name: 'list_brands', arguments: {} });
    expect(result.content).toHaveLength(1);
    expect(JSON.parse(result.content[0]!.text)).toEqual(result.structuredContent);
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
    const engine = second!.engines[0]!.slug;
    const one = await assistant.call<typeof stability>('get_stability', {
      brandId,
      engines: [engine],
      promptIds: [second!.promptId],
    });
    expect(one.data.prompts).toEqual([{ ...second, engines: [second!.engines[0]] }]);
    expect(one.page).toEqual({ offset: 0, shown: 1, total: 1 });
    const rows = await assistant.call<typeof stability>('get_stability', { brandId, offset: 1, limit: 2 });
    expect(rows.data.prompts).toEqual(stability.prompts.slice(1, 3));
    expect(rows).toMatchObject({
      truncated: false,
      page: { offset: 1, shown: 2, total: stability.prompts.length },
    });
    const scores = await assistant.call<typeof visibility>('get_visibility', {
      brandId,
      engines: ['gemini'],
    });
    expect(scores.data).toEqual({
      ...visibility,
      perEngine: visibility.perEngine.filter(({ slug }) => slug === 'gemini'),
      trend: { gemini: visibility.trend.gemini },
      alerts: visibility.alerts.filter(({ slug }) => slug === 'gemini'),
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
    for (let calls = 0; calls < 3; calls++) await assistant.call('get_visibility', { brandId });
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

describeWithClients('the page', () => {
  test('says how many requests each tool takes', async () => {
    await prepare();
    const { publicKey } = await makeTestKeys(await temporaryFolder(), 'own');
    const env = { ...workspace.server.env, SIGHTLINE_PUBLIC_KEY_FILE: publicKey };
    const { client } = await startAssistant({ ...workspace.server, env });
    await workspace.publish('2026-11-24');
    const { answered } = workspace.gateway.observed;
    const requestsOf = async (name: string) => {
      const before = answered.length;
      const past = { brandId, document: 'results', week: '2026-11-24' };
      const inputs: Record<string, object> = {
        get_document_as_of: past,
        verify_document: past,
        list_brands: {},
        list_snapshots: {},
      };
      const result = await client.callTool({ name, arguments: inputs[name] ?? { brandId } });
      expect([name, result.isError ?? false]).toEqual([name, false]);
      // The observer may be called after the response was read.
      await ask(workspace.gateway.base, '/api/v1/brands', { headers: bearer(workspace.gateway.key) });
      await until(() => answered.at(-1)?.route === 'listBrands' && answered.length > before + 1);
      return answered.length - before - 1;
    };
    await requestsOf('list_brands'); // and, once, the list with the as-of time
    const taken: string[][] = [];
    for (const { name } of (await client.listTools()).tools)
      taken.push([name, String(await requestsOf(name))]);
    const [table] = pageText('clients/mcp/README.md').split('<!-- tools -->')[1]!.trim().split('\n\n');
    const rows = [...table!.matchAll(/^\| `(\w+)` +\|[^|]+\| (\d+) /gm)].map(([, name, requests]) => [
      name,
      requests,
    ]);
    expect(taken).toEqual(rows);
  });
});
