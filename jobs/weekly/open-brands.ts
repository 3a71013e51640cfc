import { MAX_PRIOR_SCORES } from '../../lib/exact.ts';
import { SOURCES_SIZE, TREND_SIZE, sourceTypes } from '../../lib/methodology.ts';
import { readSql, streamRows, textList } from '../duckdb.ts';
import type { Connection, Database, Parameters } from '../duckdb.ts';
import { brandCursor } from './cursor.ts';
import type { BrandCursor } from './cursor.ts';
import type {
  BrandRow,
  BrandRows,
  CompetitorRow,
  PromptRow,
  ScoreRow,
  ShareRow,
  SignalsRow,
  SilenceRow,
  SourceRow,
} from './rows.ts';

/** The brands to be published, in order, each with all its rows; null after the last one. */
export interface OpenedBrands extends Disposable {
  next(): Promise<BrandRows | null>;
}

/**
 * Runs every query of a document side by side, each ordered by brand and read a chunk at a time: a merge of streams
 * that holds one brand in memory, however many there are.
 */
export async function openBrands(database: Database): Promise<OpenedBrands> {
  const connections: Connection[] = [];
  const open = async <Row>(name: string, parameters: Parameters = {}) => {
    const connection = await database.connect();
    connections.push(connection);
    return streamRows<Row>(connection, await readSql(`weekly/${name}`), parameters);
  };
  const brands = flatten(await open<BrandRow>('brands'));
  const cursors = {
    scores: brandCursor(
      await open<ScoreRow>('scores', { trend_size: TREND_SIZE, band_scores: MAX_PRIOR_SCORES + 1 }),
    ),
    silence: brandCursor(await open<SilenceRow>('silence')),
    signals: brandCursor(await open<SignalsRow>('signals')),
    competitors: brandCursor(await open<CompetitorRow>('competitors')),
    shares: brandCursor(await open<ShareRow>('share-of-voice')),
    sources: brandCursor(
      await open<SourceRow>('sources', {
        sources_size: SOURCES_SIZE,
        source_types: textList(sourceTypes),
      }),
    ),
    prompts: brandCursor(await open<PromptRow>('prompts')),
  };
  return {
    async next() {
      const brand = await brands.next();
      return brand.done === true ? null : await rowsOfBrand(brand.value, cursors);
    },
    [Symbol.dispose]() {
      for (const connection of connections) connection.closeSync();
    },
  };
}

type Cursors = {
  [Name in keyof Omit<BrandRows, 'brand' | 'signals'>]: BrandCursor<BrandRows[Name][number]>;
} & { signals: BrandCursor<SignalsRow> };

async function rowsOfBrand(brand: BrandRow, cursors: Cursors): Promise<BrandRows> {
  const no = brand.brand_no;
  const [signals] = await cursors.signals.take(no);
  return {
    brand,
    scores: await cursors.scores.take(no),
    silence: await cursors.silence.take(no),
    signals,
    competitors: await cursors.competitors.take(no),
    shares: await cursors.shares.take(no),
    sources: await cursors.sources.take(no),
    prompts: await cursors.prompts.take(no),
  };
}

async function* flatten<Row>(chunks: AsyncIterable<Row[]>): AsyncGenerator<Row> {
  for await (const rows of chunks) yield* rows;
}
