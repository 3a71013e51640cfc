import type { Documents } from '../../../../lib/documents/schemas.ts';
import type { BrandDocuments } from '../../../../snapshots/diff/causes.ts';
import { engineSlugs } from '../../../../lib/methodology/constants.ts';
import type { CommitParts } from '../../../../snapshots/log/write/commit.ts';
import { documentPath } from '../../../../snapshots/layout.ts';
import type { DocumentKind } from '../../../../snapshots/layout.ts';
import { contentOfDocuments, encodeList } from '../../../snapshots/documents.ts';
import { publishSnapshot } from '../../../snapshots/publish.ts';

const brand = {
  id: '11111111-3a6e-4f0f-9c57-0c8f7a5a1c01',
  name: 'Fjordfield Outdoor',
  domain: 'fjordfield.example',
};
const PROMPTS = 120;
const NAMES = 60;

const idOf = (n: number) => `22222222-0000-4000-8000-${String(n).padStart(12, '0')}`;
const dateOf = (week: number) => new Date(Date.UTC(2026, 0, 5 + 7 * week)).toISOString().slice(0, 10);

function visibilityOf(week: number): BrandDocuments['visibility'] {
  const perEngine = engineSlugs.map((slug, index) => ({
    slug,
    isWebGrounded: false,
    score: week % 2 === 0 ? 10 + index : 80 - index,
    date: dateOf(week),
    bandLow: 5,
    bandHigh: 40,
    isSignificant: week % 2 === 1,
    isWarmingUp: false,
    noAnswerRate: 1.5,
    promptsAnswered: 20,
    promptsNamed: 8,
    priorScores: 12,
    answers: 40,
    samePrompts: {
      prompts: 20,
      named: 8,
      expected: 15.5,
      isSignificant: week % 2 === 1,
      pValue: week % 2 === 1 ? 0.0004 : 0.2,
      detectablePp: 24,
    },
    fourWeeks: { prompts: 20, named: 38, expected: 42.5, isSignificant: false },
    models: ['model-1'],
    modelsChanged: false,
    unbranded: { promptsAnswered: 18, promptsNamed: 6 },
  }));
  return {
    events: [{ date: dateOf(week), slug: 'claude', text: 'Another model', url: null }],
    brand,
    overallVisibility: 40,
    perEngine,
    trend: Object.fromEntries(
      perEngine.map(({ slug, score }) => [
        slug,
        Array.from({ length: 15 }, (_, n) => ({
          date: dateOf(week - 14 + n),
          score,
          promptsAnswered: 20,
          promptsNamed: 8,
          answers: 40,
        })),
      ]),
    ),
    moved: week % 2 === 1 ? perEngine.map(({ slug }) => slug) : [],
    silent: [],
    alerts: week % 2 === 1 ? perEngine.map(({ slug, score }) => ({ slug, score })) : [],
    signals: {
      netSentiment: 21,
      positive: 16,
      neutral: 20,
      negative: 6,
      avgPosition: 2.1,
      mentions: 47,
      answers: 320,
      answersNaming: 40,
    },
  };
}

function stability(): BrandDocuments['stability'] {
  const names = Array.from({ length: 30 }, (_, n) => ({
    entity: `A long name of outdoor clothes ${n}`,
    stability: 0.5,
  }));
  return {
    brand,
    minCycles: 4,
    prompts: Array.from({ length: PROMPTS }, (_, n) => ({
      promptId: idOf(n),
      promptText: `What is the best waterproof jacket for a long walk in the mountains, number ${n}?`,
      engines: engineSlugs.map((slug) => ({
        slug,
        cyclesObserved: 12,
        isWarmingUp: false,
        brandPlacement: 'core' as const,
        brandStability: 0.9583,
        core: names.slice(0, 5),
        carousel: names.slice(5),
      })),
    })),
  };
}

function rowsOf(week: number): Documents['competitors']['shareOfVoice'] {
  return Array.from({ length: NAMES }, (_, n) => ({
    name: n === 0 ? brand.name : `Competitor number ${n}`,
    isBrand: n === 0,
    mentions: 100 - n,
    sovPct: 1.7,
    lowPct: week % 2 === 0 ? 1 : 3,
    highPct: week % 2 === 0 ? 2 : 4,
    halfWidthPp: 0.5,
    tiedWithBrand: n > 0,
    tiedForLead: true,
    behindLeader: n === 0 ? null : { gapPp: 0.1, lowPp: -1, highPp: 1.2, isBehind: false },
    perEngine: engineSlugs.map((slug) => ({ slug, mentions: 10, answersNaming: 9 })),
    answersNaming: 90,
    presencePct: 28.1,
    presenceLowPct: 23.5,
    presenceHighPct: 33.3,
  }));
}

const citations = { answers: 120, answersCiting: 110, citations: 400, domains: 20, ownSite: null };
const timeline = { brand, engines: [], names: [{ name: brand.name, isBrand: true, engines: [] }] };

/** All documents of a brand with every list as long as in a large installation; `week` changes the numbers. */
function documentsOf(week: number): BrandDocuments {
  return {
    visibility: visibilityOf(week),
    stability: stability(),
    competitors: {
      brand,
      shareOfVoice: rowsOf(week),
      totalMentions: 3000,
      noiseFloorPp: 2,
      leaders: [brand.name],
      leadersByPrompt: [brand.name],
      answers: 320,
      perEngine: engineSlugs.map((slug) => ({ slug, answers: 40, totalMentions: 300 })),
    },
    sources: {
      brand,
      sources: Array.from({ length: 20 }, (_, n) => ({
        domain: `a-rather-long-host-name-${n}.example.org`,
        count: 20,
        sourceType: 'listicle' as const,
        competitorMentions: 12,
        brandMentions: 1,
        gap: 11,
        answers: 18,
        isOwnDomain: false,
      })),
      ...citations,
    },
    timeline,
    results: {
      brand,
      prompts: Array.from({ length: PROMPTS }, (_, n) => ({
        promptId: idOf(n),
        promptText: `What is the best waterproof jacket for a long walk in the mountains, number ${n}?`,
        engines: engineSlugs.map((slug) => ({
          slug,
          date: dateOf(week),
          isNamed: week % 2 === 1,
          position: week % 2 === 1 ? 2 : null,
          previousDate: dateOf(week - 1),
          wasNamed: week % 2 === 0,
          previousPosition: week % 2 === 0 ? 2 : null,
          change: week % 2 === 1 ? ('won' as const) : ('lost' as const),
          evidence: [],
        })),
      })),
    },
    prompts: {
      brand,
      prompts: Array.from({ length: PROMPTS }, (_, n) => ({
        id: idOf(n),
        text: `What is the best waterproof jacket for a long walk in the mountains, number ${n}?`,
        isActive: week % 2 === 0 || n % 2 === 0,
        createdAt: '2026-01-01T00:00:00.000Z',
        namesBrand: false,
        tags: [],
      })),
    },
  };
}

/** Publishes a brand with lists as long as in a large installation, in two weeks that differ in most of their values. */
export async function publishLargeBrand(log: CommitParts, workspaceId: string): Promise<void> {
  for (const week of [20, 21]) {
    const documents = documentsOf(week);
    const encoded = Object.entries(documents).map(([kind, document]) => ({
      path: documentPath(brand.id, kind as DocumentKind),
      bytes: Buffer.from(`${JSON.stringify({ data: document })}\n`),
    }));
    const list = [{ ...brand, createdAt: '2026-01-01T00:00:00.000Z' }];
    const all = [encodeList(list), ...encoded];
    await publishSnapshot(log, contentOfDocuments(workspaceId, `${dateOf(week)}T06:00:00.000Z`, all));
  }
}
