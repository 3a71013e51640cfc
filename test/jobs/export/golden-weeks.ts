import examples from '../../openapi/examples.json' with { type: 'json' };
import { emptyVisibility } from '../../lib/documents/empty-visibility.ts';
import type { GivenBrand, GivenWeek } from './published.ts';

const [brand] = examples.brands;
const { brands: _brands, week: _week, table: _table, ...today } = examples;
/** A brand that nothing is known of, with a name that a spreadsheet would run. */
const unknown: GivenBrand = {
  brand: {
    id: '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c01',
    name: '=HYPERLINK("https://evil.example";"Acme")',
    domain: '',
    createdAt: '2026-02-01T00:00:00.000Z',
  },
  documents: {
    visibility: emptyVisibility,
    competitors: {
      shareOfVoice: [],
      totalMentions: 0,
      noiseFloorPp: 100,
      leaders: [],
      leadersByPrompt: null,
      answers: 0,
      perEngine: [],
    },
    sources: { sources: [], answers: 0, answersCiting: 0, citations: 0, domains: 0, ownSite: null },
    prompts: {
      prompts: [
        {
          id: '7d6f3f3e-8d5b-4a0e-9d57-1c8f7a5a1c02',
          text: '- "007"?\n\'Which\', and why',
          isActive: false,
          createdAt: '2026-02-01T00:00:00.000Z',
          namesBrand: false,
          tags: [],
        },
      ],
    },
  },
};

/** The weeks of the golden export. */
export const goldenWeeks: GivenWeek[] = [
  {
    asOf: '2026-11-09T06:00:00.000Z',
    workspaceName: null,
    brands: [{ brand: brand!, documents: today as unknown as GivenBrand['documents'] }],
  },
  {
    asOf: '2026-11-16T06:00:00.000Z',
    workspaceName: 'Fjord & Co',
    brands: [{ brand: brand!, documents: today as unknown as GivenBrand['documents'] }, unknown],
  },
];
