import examples from '../../openapi/examples.json' with { type: 'json' };
import { emptyVisibility } from '../../lib/documents/empty-visibility.ts';
import unknown from './golden/unknown-brand.json' with { type: 'json' };
import type { GivenBrand, GivenWeek } from './published.ts';

const { brands, week: _week, table: _table, ...today } = examples;
const known: GivenBrand = { brand: brands[0]!, documents: today as unknown as GivenBrand['documents'] };

/** The weeks of the golden export. Of the second brand nothing is known but a name that a spreadsheet would run. */
export const goldenWeeks: GivenWeek[] = [
  { asOf: '2026-11-09T06:00:00.000Z', workspaceName: null, brands: [known] },
  {
    asOf: '2026-11-16T06:00:00.000Z',
    workspaceName: 'Fjord & Co',
    brands: [
      known,
      {
        ...unknown,
        documents: { visibility: emptyVisibility, ...unknown.documents },
      },
    ],
  },
];
