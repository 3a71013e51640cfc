import { execute, literal, readSql, rowsOf, streamRows, textList } from '../../duckdb.ts';
import type { Connection, Database } from '../../duckdb.ts';
import { brandCursor } from '../cursor.ts';
import { CYCLES_IN_WORD, packNames, spellingFrom } from './brand-names.ts';
import type { BrandNames } from './brand-names.ts';
import { createNamesFile } from './names-file.ts';
import type { NamesFileWriter } from './names-file.ts';

/**
 * Reduces the runs in the view `cycle_run` to a names file and to scores, the table `reduced_score` of the schema. Whoever
 * drops the schema closes the connections.
 * @param dates of the cycles that the file stands for, in order; some of them may have no runs in the view
 * @param slices how many parts of the brands are reduced one after the other, so that each fits into memory
 */
export async function reduceCycles(
  schema: Pick<Database, 'connect'>,
  dates: readonly string[],
  slices: number,
  path: string,
): Promise<void> {
  const [connection, beside] = [await schema.connect(), await schema.connect()];
  const [reduce, score] = [await readSql('weekly/reduce'), await readSql('weekly/cycle-scores')];
  await execute(connection, 'create table reduced_score as from score limit 0');
  const file = createNamesFile(path);
  try {
    for (const brands of await brandSlices(connection, slices)) {
      await execute(connection, `create or replace view reduced_run as from cycle_run where ${brands}`);
      await execute(connection, reduce, { dates: textList(dates) });
      await execute(connection, score);
      await addNames(file, connection, beside, dates.length);
    }
    file.finish();
  } finally {
    file.close();
  }
}

/** For each slice, the condition on its runs. */
async function brandSlices(connection: Connection, slices: number): Promise<string[]> {
  if (slices === 1) return ['true'];
  const rows = await rowsOf<{ first: string; last: string }>(
    connection,
    await readSql('weekly/brand-slices'),
    { slices },
  );
  return rows.map(({ first, last }) => `brand_id between uuid ${literal(first)} and uuid ${literal(last)}`);
}

interface BrandFact {
  brand_no: number;
  brand_id: string;
  prompts: string[];
  /** Ascending. */
  observations: Int32Array;
}

interface SpellingFact {
  brand_no: number;
  subject: string;
  competitor_id: string | null;
  name: string;
  /** Null, as `folded` is, where the name is plain. */
  entity: string | null;
  folded: string | null;
  /** Of each mention entry, in any order. */
  observations: Int32Array;
}

async function addNames(
  file: NamesFileWriter,
  connection: Connection,
  beside: Connection,
  cycleCount: number,
): Promise<void> {
  const spellings = brandCursor(streamRows<SpellingFact>(beside, await readSql('weekly/fact-spellings')));
  for await (const brands of streamRows<BrandFact>(connection, await readSql('weekly/fact-brands'))) {
    for (const brand of brands) {
      const names = namesOf(brand, await spellings.take(brand.brand_no), cycleCount);
      file.add(brand.brand_id, packNames(names));
    }
  }
}

function namesOf(
  { prompts, observations }: BrandFact,
  spellings: readonly SpellingFact[],
  cycleCount: number,
): BrandNames {
  const { series, observed } = seriesOf(observations, cycleCount);
  const rows = namingRows(
    series,
    spellings.map((spelling) => spelling.observations),
    cycleCount,
  );
  return {
    prompts,
    spellings: spellings.map(({ subject, competitor_id, name, entity, folded }) =>
      spellingFrom(subject, competitor_id, name, entity, folded),
    ),
    series,
    observed,
    ...rows,
  };
}

function seriesOf(observations: Int32Array, cycleCount: number): Pick<BrandNames, 'series' | 'observed'> {
  const series = new Int32Array(observations.length);
  const observed = new Int32Array(observations.length);
  let count = 0;
  for (const observation of observations) {
    const number = Math.floor(observation / cycleCount);
    if (count === 0 || series[count - 1] !== number) series[count++] = number;
    observed[count - 1]!++;
  }
  return { series: series.slice(0, count), observed: observed.slice(0, count) };
}

type Rows = Pick<BrandNames, 'ends' | 'spelling' | 'entries' | 'cycles'>;

/**
 * Sorts the mention entries of spellings by series, and adds up those of one spelling in a series.
 * @param series ascending
 * @param bySpelling of each spelling, the observation of each of its entries, in any order
 */
function namingRows(series: Int32Array, bySpelling: readonly Int32Array[], cycleCount: number): Rows {
  const places = new Int32Array((series.at(-1) ?? 0) + 1);
  for (const [place, number] of series.entries()) places[number] = place;
  const placeOf = (observation: number): number => places[Math.floor(observation / cycleCount)]!;
  const rowCounts = new Int32Array(series.length);
  const lastSpelling = new Int32Array(series.length).fill(NONE);
  for (const [spelling, observations] of bySpelling.entries()) {
    for (const observation of observations) {
      const place = placeOf(observation);
      if (lastSpelling[place] === spelling) continue;
      lastSpelling[place] = spelling;
      rowCounts[place]!++;
    }
  }
  const ends = new Int32Array(series.length);
  let rows = 0;
  for (const [place, count] of rowCounts.entries()) ends[place] = rows += count;
  const next = ends.map((end, place) => end - rowCounts[place]! - 1);
  const spellings = new Int32Array(rows);
  const entries = new Int32Array(rows);
  const words = Array.from({ length: Math.ceil(cycleCount / CYCLES_IN_WORD) }, () => new Int32Array(rows));
  lastSpelling.fill(NONE);
  for (const [spelling, observations] of bySpelling.entries()) {
    for (const observation of observations) {
      const place = placeOf(observation);
      if (lastSpelling[place] !== spelling) {
        lastSpelling[place] = spelling;
        spellings[++next[place]!] = spelling;
      }
      const row = next[place]!;
      const cycle = observation % cycleCount;
      entries[row]!++;
      words[Math.floor(cycle / CYCLES_IN_WORD)]![row]! |= 1 << (cycle % CYCLES_IN_WORD);
    }
  }
  return { ends, spelling: spellings, entries, cycles: words };
}

const NONE = -1;
