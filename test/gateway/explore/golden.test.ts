import { join } from 'node:path';
import { expect, test } from 'vitest';
import { brandSection } from '../../../gateway/explore/pages/sections/brand.ts';
import type { Compared } from '../../../gateway/explore/pages/sections/brand.ts';
import { glance } from '../../../gateway/explore/pages/sections/glance.ts';
import { namedInstead, promptDetails } from '../../../gateway/explore/pages/sections/prompt-details.ts';
import type { Html } from '../../../gateway/explore/pages/markup.ts';
import type { BrandWeek } from '../../../gateway/explore/pages/week.ts';
import { brandInWeek } from '../../../lib/methodology/week.ts';
import type { Stability } from '../../../lib/documents/stability.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import { asOfCase, expectedText } from '../../golden/cases.ts';
import { weekOf } from '../../snapshots/weeks.ts';

type Brand = Omit<Documents, 'brands' | 'week'>;

/** The brands of the first workspace of a golden case, with the documents that are expected of them. */
function brandsOf(name: string): BrandWeek[] {
  const [workspace] = Object.values(
    JSON.parse(expectedText(name)) as Record<string, Record<string, unknown>>,
  );
  const {
    brands,
    week: _,
    ...documents
  } = workspace as unknown as Pick<Documents, 'brands' | 'week'> & Record<string, Brand>;
  return brands.map((brand) => ({ brand, asOf: asOfCase(name), ...documents[brand.id]! }));
}

const snapshotOf = (asOf: string) => ({ id: asOf, asOf, methodologyVersion: '1.0' });

/** A week before, in which each engine had one cycle and one of the steady names less. */
const earlier = ({ prompts, ...rest }: Stability): Stability => ({
  ...rest,
  prompts: prompts.map((prompt) => ({
    ...prompt,
    engines: prompt.engines.map(({ cyclesObserved, core, ...engine }) => ({
      ...engine,
      cyclesObserved: cyclesObserved - 1,
      core: core.slice(1),
    })),
  })),
});

/** All that the page has of a brand. */
function partsOf(week: BrandWeek, before: Compared | null): Html[] {
  const lastWeek = earlier(week.stability);
  const stabilities = [week.stability, lastWeek, earlier(lastWeek)];
  return [
    brandSection(week, snapshotOf(week.asOf), before, []),
    ...week.results.prompts.slice(0, 3).map((prompt) => promptDetails(prompt, week.brand.name, stabilities)),
    namedInstead(week, stabilities),
  ];
}

/** Compares with a golden file, which has a line for each tag, and the ids of parts in the order of the page. */
async function expectShown(parts: readonly Html[], name: string): Promise<void> {
  const lines = parts.map(({ text }) => text.replaceAll(/\s+/g, ' ').replaceAll(/ ?<(?=[a-z])/g, '\n<'));
  const page = `${lines.join('\n')}\n`;
  const ids = [...new Set(page.match(/\bpart-\d+/g))];
  const numbered = page.replaceAll(/\bpart-\d+/g, (id) => `part-${ids.indexOf(id) + 1}`);
  await expect(numbered).toMatchFileSnapshot(join(import.meta.dirname, 'golden', `${name}.html`));
}

test.each(['rich', 'edges', 'questions', 'quiet'])(
  'the page of the golden case %s is golden/',
  async (name) => {
    const brands = brandsOf(name);
    const week = { asOf: asOfCase(name), brands: brands.map((each) => brandInWeek(each)) };
    const all = glance({ week, before: null, addressOf: (id) => `#${id}` });
    await expectShown([all, ...brands.slice(0, 2).flatMap((each) => partsOf(each, null))], name);
  },
);

test('the page of a week and the one before it is golden/compared.html', async () => {
  const history = Array.from({ length: 8 }, () => ({ named: [10, 10, 10], mentions: [50, 50, 50, 50] }));
  const fallen = { named: [0, 10, 11], mentions: [200, 50, 50, 51] };
  const [before, week] = [history, [...history, fallen]].map((each) => {
    const { asOf, documents } = weekOf(each);
    return { asOf, brand: documents.visibility.brand, ...documents };
  });
  const compared = {
    documents: before!,
    name: 'week of 23 February',
    snapshot: snapshotOf(before!.asOf),
  };
  await expectShown(partsOf(week!, compared), 'compared');
});
