import { documentKinds } from '../../../lib/documents/kinds.ts';
import type { DocumentKind } from '../../../lib/documents/kinds.ts';
import type { TableDocument } from '../../../lib/documents/table.ts';
import type { Week } from '../../../lib/documents/week.ts';
import type { Snapshots } from '../../../lib/history/schemas.ts';
import type { ApiTable } from '../../../lib/tables/names.ts';
import type { Band, BrandWeek, EarlierWeek } from '../pages/week.ts';
import { ApiError } from './requests.ts';
import type { Answer, Requests } from './requests.ts';

export type Brand = BrandWeek['brand'];
export type Snapshot = Snapshots[number];

/** The documents of one week, by requests that name the snapshot, so that none is sent twice. */
export class WeekDocuments {
  readonly snapshot: Snapshot;
  readonly #requests: Requests;
  readonly #signal: AbortSignal;
  /** What was read, by the path that a proof uses. */
  readonly read = new Map<string, Answer<unknown>>();

  constructor(requests: Requests, snapshot: Snapshot, signal: AbortSignal) {
    this.snapshot = snapshot;
    this.#requests = requests;
    this.#signal = signal;
  }

  /** The week of all brands. */
  async overview(): Promise<Week> {
    return await this.#get<Week>('week');
  }

  /** Every document of a brand. */
  async week(brand: Brand): Promise<BrandWeek> {
    return (await this.#documents(brand, documentKinds)) as BrandWeek;
  }

  /** The documents that another week is compared with; null if the brand was not there. */
  async earlier(brand: Brand): Promise<EarlierWeek | null> {
    const kinds = ['visibility', 'competitors', 'results', 'prompts', 'sources'] as const;
    return (await nullIfGone(this.#documents(brand, kinds))) as EarlierWeek | null;
  }

  async document<Document>(brand: Brand, kind: DocumentKind): Promise<Document> {
    return await this.#get<Document>(`brands/${brand.id}/${kind}`);
  }

  /** A table of all brands as objects, by the names of its columns. */
  async table(name: ApiTable): Promise<Record<string, TableDocument['rows'][number][number]>[]> {
    const { columns, rows } = await this.#get<TableDocument>(`tables/${name}`);
    return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column.name, row[at]!])));
  }

  /** The drift bands of every brand. */
  async bands(): Promise<(Band & { brandId: string })[]> {
    return (await this.table('visibility')).map((row) => ({
      brandId: row['brand_id'] as string,
      slug: row['engine'] as string,
      date: row['date'] as string,
      bandLow: row['band_low'] as number | null,
      bandHigh: row['band_high'] as number | null,
      isSignificant: row['is_significant'] as boolean,
      modelsChanged: row['models_changed'] === true,
    }));
  }

  async #documents(brand: Brand, kinds: readonly DocumentKind[]): Promise<object> {
    const read = kinds.map(async (kind) => [kind, await this.document<unknown>(brand, kind)]);
    return { brand, asOf: this.snapshot.asOf, ...Object.fromEntries(await Promise.all(read)) };
  }

  async #get<Document>(path: string): Promise<Document> {
    const answer = await this.#requests.get<Document>(
      `/api/v1/snapshots/${this.snapshot.id}/${path}`,
      this.#signal,
    );
    this.read.set(path, answer);
    return answer.data;
  }
}

/** Null instead of a document that is not there. */
export async function nullIfGone<Found>(found: Promise<Found>): Promise<Found | null> {
  return await found.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  });
}
