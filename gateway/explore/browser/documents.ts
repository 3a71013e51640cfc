import type { Brands } from '../../../lib/documents/brands.ts';
import type { DocumentKind } from '../../../lib/documents/kinds.ts';
import type { Visibility } from '../../../lib/documents/visibility.ts';
import type { Snapshots } from '../../../lib/history/schemas.ts';
import type { BrandWeek } from '../../../snapshots/pages/week.ts';
import { ApiError } from './requests.ts';
import type { Answer, Requests } from './requests.ts';

export type Brand = Brands[number];
export type Snapshot = Snapshots[number];

/** The documents of one week, by requests that the browser's cache keeps: they name the snapshot. */
export class WeekDocuments {
  readonly snapshotId: string;
  readonly #requests: Requests;
  readonly #signal: AbortSignal;
  /** What was read, by the path that a proof uses. */
  readonly read = new Map<string, Answer<unknown>>();

  constructor(requests: Requests, snapshotId: string, signal: AbortSignal) {
    this.#requests = requests;
    this.snapshotId = snapshotId;
    this.#signal = signal;
  }

  async brands(): Promise<Brand[]> {
    return await this.#get<Brands>('brands');
  }

  async document<Document>(brand: Brand, kind: DocumentKind): Promise<Document> {
    return await this.#get<Document>(`brands/${brand.id}/${kind}`);
  }

  /** A brand with its visibility only: one request. */
  async glance(brand: Brand): Promise<BrandWeek> {
    const visibility = await this.document<Visibility>(brand, 'visibility');
    return {
      brand,
      visibility,
      competitors: null,
      results: null,
      stability: null,
      sources: null,
      prompts: null,
    };
  }

  /** The leaders, and the prompts won and lost: two more requests. */
  async verdicts(week: BrandWeek): Promise<BrandWeek> {
    const [competitors, results] = [
      await this.document<BrandWeek['competitors']>(week.brand, 'competitors'),
      await this.#orNull(this.document<BrandWeek['results']>(week.brand, 'results')),
    ];
    return { ...week, competitors, results };
  }

  /** All six documents of a brand. */
  async whole(brand: Brand): Promise<BrandWeek> {
    const read = async <Document>(kind: DocumentKind) => await this.document<Document>(brand, kind);
    const [visibility, competitors, results, stability, sources, prompts] = await Promise.all([
      read<Visibility>('visibility'),
      read<BrandWeek['competitors']>('competitors'),
      this.#orNull(read<BrandWeek['results']>('results')),
      read<BrandWeek['stability']>('stability'),
      read<BrandWeek['sources']>('sources'),
      read<BrandWeek['prompts']>('prompts'),
    ]);
    return { brand, visibility, competitors, results, stability, sources, prompts };
  }

  /** Weeks from before the document existed do not have it. */
  async #orNull<Document>(document: Promise<Document>): Promise<Document | null> {
    return await document.catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    });
  }

  async #get<Document>(path: string): Promise<Document> {
    const answer = await this.#requests.get<Document>(
      `/api/v1/snapshots/${this.snapshotId}/${path}`,
      this.#signal,
    );
    this.read.set(path, answer);
    return answer.data;
  }
}
