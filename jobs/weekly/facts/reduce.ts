import { execute, readSql, streamColumns, streamRows } from '../../duckdb.ts';
import type { Connection, Database } from '../../duckdb.ts';
import { brandCursor } from '../cursor.ts';
import { packNames } from './brand-names.ts';
import type { BrandNames, Spelling } from './brand-names.ts';
import { createNamesFile } from './names-file.ts';

/**
 * Reduces the runs in the view `cycle_run` to a names file, and adds their scores to the table `score`. Whoever drops
 * the schema closes the connections.
 */
export async function reduceCycle(schema: Connects, cycleDate: string, path: string): Promise<void> {
  const connection = await schema.connect();
  await execute(connection, await readSql('weekly/reduce'));
  await execute(connection, await readSql('weekly/cycle-scores'), { cycle_date: cycleDate });
  await writeNames(schema, connection, path);
}

type Connects = Pick<Database, 'connect'>;

interface BrandFact {
  brand_no: number;
  brand_id: string;
  prompts: string[];
  series: number[];
}

interface SpellingFact extends Omit<Spelling, 'competitorId'> {
  brand_no: number;
  competitor_id: string | null;
}

async function writeNames(schema: Connects, connection: Connection, path: string): Promise<void> {
  const file = createNamesFile(path);
  try {
    const spellings = brandCursor(
      streamRows<SpellingFact>(await schema.connect(), await readSql('weekly/fact-spellings')),
    );
    const naming = namingCursor(streamColumns(await schema.connect(), await readSql('weekly/fact-naming')));
    for await (const brands of streamRows<BrandFact>(connection, await readSql('weekly/fact-brands'))) {
      for (const brand of brands) {
        const names = namesOf(brand, await spellings.take(brand.brand_no), await naming.take(brand.brand_no));
        file.add(brand.brand_id, packNames(names));
      }
    }
    file.finish();
  } finally {
    file.close();
  }
}

/** Rows of fact-naming.sql: column by column, without the brand's number. */
type Naming = Record<'series' | 'spelling' | 'entries', number[]>;

function namesOf(brand: BrandFact, spellings: readonly SpellingFact[], naming: Naming): BrandNames {
  const series = Int32Array.from(brand.series);
  const ends = new Int32Array(series.length);
  let row = 0;
  for (const [place, number] of series.entries()) {
    while (naming.series[row] === number) row++;
    ends[place] = row;
  }
  return {
    prompts: brand.prompts,
    spellings: spellings.map(({ subject, competitor_id: competitorId, name, entity, folded }) => ({
      subject,
      competitorId,
      name,
      entity,
      folded,
    })),
    series,
    observed: new Int32Array(series.length).fill(1),
    ends,
    spelling: Int32Array.from(naming.spelling),
    entries: Int32Array.from(naming.entries),
    cycles: [new Int32Array(naming.spelling.length).fill(1)],
  };
}

/** Hands out the rows of a query of integers ordered by its first column, the brand's number, a brand at a time. */
function namingCursor(chunks: AsyncIterator<readonly Int32Array[]>): {
  take(brandNo: number): Promise<Naming>;
} {
  let [brands, series, spelling, entries]: readonly Int32Array[] = [];
  let at = 0;
  async function fill(): Promise<boolean> {
    while (brands === undefined || at >= brands.length) {
      const next = await chunks.next();
      if (next.done === true) return false;
      [brands, series, spelling, entries] = next.value;
      at = 0;
    }
    return true;
  }
  return {
    async take(brandNo) {
      const taken: Naming = { series: [], spelling: [], entries: [] };
      while ((await fill()) && brands![at] === brandNo) {
        for (; at < brands!.length && brands![at] === brandNo; at++) {
          taken.series.push(series![at]!);
          taken.spelling.push(spelling![at]!);
          taken.entries.push(entries![at]!);
        }
      }
      return taken;
    },
  };
}
