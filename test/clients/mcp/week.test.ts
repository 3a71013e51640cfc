import { beforeEach, expect, test } from 'vitest';
import type { Week } from '../../../lib/documents/week.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { engineSlugs } from '../../../lib/methodology/constants.ts';
import { describeWithClients } from '../tools.ts';
import { startAssistant } from './mcp.ts';
import type { Assistant } from './mcp.ts';
import { brandId, exampleDocuments, startWorkspace } from './workspace.ts';
import type { TestWorkspace } from './workspace.ts';

const asOf = '2026-11-23T06:00:00.000Z';
const MAX_BYTES = 30_000;

/** A brand on eight engines; `moved` of them moved, and the first is silent if there are any. */
function brandInWeek(number: number, moved: number): Week['brands'][number] {
  const name = `Brand with a long name, number ${number}`;
  const rivals = Array.from({ length: 7 }, (_, rival) => `Competitor number ${rival} of ${number}`);
  return {
    brand: {
      id: `0b5ef0a4-3a6e-4f0f-9c57-${String(number).padStart(12, '0')}`,
      name,
      domain: `${number}.example`,
    },
    overallVisibility: 48.3,
    moved: engineSlugs.slice(1, 1 + moved),
    silent: moved === 0 ? [] : [{ slug: engineSlugs[0], lastAnswered: '2026-11-02', runs: 60 }],
    engines: engineSlugs.map((slug, index) => ({
      slug,
      score: 48.3,
      date: '2026-11-23',
      promptsAnswered: 60,
      promptsNamed: 29,

      isSignificant: index <= moved,
      isWarmingUp: false,
      isLasting: false,
    })),
    shareOfVoice: {
      rank: 3,
      names: 8,
      sovPct: 12.9,
      mentions: 120,
      totalMentions: 930,
      leaders: [name, ...rivals],
      leadersByPrompt: rivals,
    },
    results: { cycle: '2026-11-23', won: 31, lost: 30, kept: 200, absent: 219, new: 0, older: 0 },
    ownSite: { citations: 40, answers: 22 },
  };
}

interface Shown {
  brands: {
    name: string;
    inWords: string;
    engines: { slug: string; reading: string }[];
    silent?: unknown[];
  }[];
}

let workspace: TestWorkspace;
let assistant: Assistant;
describeWithClients('the tool week', () => {
  beforeEach(async () => {
    workspace = await startWorkspace();
    const brands = Array.from({ length: 30 }, (_, number) =>
      brandInWeek(number, number === 17 ? 2 : number % 2),
    );
    await workspace.publish('2026-11-23', { week: { asOf, brands } });
    assistant = await startAssistant(workspace.server);
  });

  test('has words and facts of 30 brands in one request and 30 kB, without calm engines and lists of names', async () => {
    const before = workspace.gateway.observed.answered.length;
    const content = await assistant.call<Shown>('week', {});
    expect(workspace.gateway.observed.answered.slice(before).map(({ route }) => route)).toEqual(['getWeek']);
    expect(content).toMatchObject({ asOf, truncated: false });
    expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThanOrEqual(MAX_BYTES);
    const { brands } = content.data;
    expect(brands).toHaveLength(30);
    const [first] = brands;
    expect(first!.name).toBe('Brand with a long name, number 17');
    expect(first!.inWords).toMatch(/^Google AI Mode has not answered since 2 November, although asked/);
    expect(first!.inWords).toContain('moved, more than chance usually causes.');
    expect(first!.engines.map(({ slug, reading }) => [slug, reading])).toEqual([
      ['ai_overview', 'moved'],
      ['chatgpt', 'moved'],
    ]);
    expect(brands.at(-1)).toMatchObject({ engines: [{ reading: 'possibly chance' }] });
    expect(JSON.stringify(brands)).not.toContain('leaders');
  });

  test('has the week of a past snapshot by its day', async () => {
    await workspace.publish('2026-11-30');
    expect(await assistant.call<Shown>('week', { week: '2026-11-23', limit: 2 })).toMatchObject({
      asOf,
      page: { shown: 2, total: 30 },
    });
  });
});

describeWithClients('get_document', () => {
  beforeEach(async () => {
    workspace = await startWorkspace();
    await workspace.publish('2026-11-23');
    assistant = await startAssistant(workspace.server);
  });

  test('has the results with one change only, if asked', async () => {
    const input = { brand: brandId, document: 'results' };
    for (const change of ['won', 'lost', 'kept', 'absent'] as const) {
      const { data } = await assistant.call<Documents['results']>('get_document', { ...input, change });
      const shown = data.prompts.flatMap(({ engines }) => engines);
      const all = exampleDocuments.results.prompts.flatMap(({ engines }) => engines);
      expect(shown).toEqual(all.filter((engine) => engine.change === change));
    }
    await expect(
      assistant.failure('get_document', { brand: brandId, document: 'sources', change: 'lost' }),
    ).resolves.toMatchObject({ code: 'invalid_arguments' });
  });

  test('has the trend of visibility only if asked', async () => {
    const input = { brand: brandId, document: 'visibility' };
    const { trend, ...rest } = exampleDocuments.visibility;
    expect((await assistant.call('get_document', input)).data).toEqual(rest);
    expect((await assistant.call('get_document', { ...input, trend: true })).data).toEqual({
      ...rest,
      trend,
    });
  });
});
