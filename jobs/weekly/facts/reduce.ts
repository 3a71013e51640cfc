import { execute, readSql, streamRows } from '../../duckdb.ts';
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
  series: Int32Array;
}

interface SpellingFact extends Omit<Spelling, 'competitorId'> {
  brand_no: number;
  competitor_id: string | null;
  series: Int32Array;
}

async function writeNames(schema: Connects, connection: Connection, path: string): Promise<void> {
  const file = createNamesFile(path);
  try {
    const spellings = brandCursor(
      streamRows<SpellingFact>(await schema.connect(), await readSql('weekly/fact-spellings')),
    );
    for await (const brands of streamRows<BrandFact>(connection, await readSql('weekly/fact-brands'))) {
      for (const brand of brands)
        file.add(brand.brand_id, packNames(namesOf(brand, await spellings.take(brand.brand_no))));
    }
    file.finish();
  } finally {
    file.close();
  }
}

function namesOf({ prompts, series }: BrandFact, spellings: readonly SpellingFact[]): BrandNames {
  const rows = rowsOf(
    series,
    spellings.map((spelling) => spelling.series),
  );
  return {
    prompts,
    spellings: spellings.map(({ subject, competitor_id: competitorId, name, entity, folded }) => ({
      subject,
      competitorId,
      name,
      entity,
      folded,
    })),
    series,
    observed: new Int32Array(series.length).fill(1),
    ...rows,
    cycles: [new Int32Array(rows.spelling.length).fill(1)],
  };
}

/**
 * Sorts the mention entries of spellings by series, and counts those of one spelling in a series.
 * @param series ascending
 * @param bySpelling of each spelling, the series of its entries, in any order
 */
function rowsOf(
  series: Int32Array,
  bySpelling: readonly Int32Array[],
): Pick<BrandNames, 'ends' | 'spelling' | 'entries'> {
  const places = new Int32Array((series.at(-1) ?? 0) + 1);
  for (const [place, number] of series.entries()) places[number] = place;
  const begins = new Int32Array(series.length + 1);
  for (const numbers of bySpelling) for (const number of numbers) begins[places[number]! + 1]!++;
  for (let place = 0; place < series.length; place++) begins[place + 1]! += begins[place]!;
  const spelling = new Int32Array(begins.at(-1)!);
  const entries = new Int32Array(begins.at(-1)!);
  const filled = begins.slice(0, -1);
  for (const [spellingNumber, numbers] of bySpelling.entries()) {
    for (const number of numbers) {
      const place = places[number]!;
      const end = filled[place]!;
      if (end > begins[place]! && spelling[end - 1] === spellingNumber) entries[end - 1]!++;
      else {
        spelling[end] = spellingNumber;
        entries[end] = 1;
        filled[place] = end + 1;
      }
    }
  }
  return withoutGaps(begins, filled, spelling, entries);
}

/** Rows of a place begin at `begins` and end at `filled`; what lies between that and the next place is dropped. */
function withoutGaps(
  begins: Int32Array,
  filled: Int32Array,
  spelling: Int32Array,
  entries: Int32Array,
): Pick<BrandNames, 'ends' | 'spelling' | 'entries'> {
  const ends = new Int32Array(filled.length);
  let rows = 0;
  for (const [place, end] of filled.entries()) {
    spelling.copyWithin(rows, begins[place]!, end);
    entries.copyWithin(rows, begins[place]!, end);
    rows += end - begins[place]!;
    ends[place] = rows;
  }
  return { ends, spelling: spelling.subarray(0, rows), entries: entries.subarray(0, rows) };
}
