import type { Brands } from '../../../lib/documents/brands.ts';
import { documentKinds } from '../../../lib/documents/kinds.ts';
import type { DocumentKind } from '../../../lib/documents/kinds.ts';
import type { Snapshots } from '../../../lib/history/schemas.ts';
import type { Week } from '../../../lib/documents/week.ts';
import type { BrandWeek } from '../pages/week.ts';
import { ApiError } from './requests.ts';
import type { Answer, Requests } from './requests.ts';

export type Brand = Omit<Brands[number], 'createdAt'>;
export type Snapshot = Snapshots[number];

/** The documents of one week, by requests that the browser's cache keeps: they name the snapshot. */
export class WeekDocuments {
  readonly #snapshot: Pick<Snapshot, 'id' | 'asOf'>;
  readonly #requests: Requests;
  readonly #signal: AbortSignal;
  /** What was read, by the path that a proof uses. */
  readonly read = new Map<string, Answer<unknown>>();

  constructor(requests: Requests, snapshot: Pick<Snapshot, 'id' | 'asOf'>, signal: AbortSignal) {
    this.#requests = requests;
    this.#snapshot = snapshot;
    this.#signal = signal;
  }

  /** The week of all brands; null if the snapshot was published by a version that made none. */
  async overview(): Promise<Week | null> {
    return await nullIfGone(this.#get<Week>('week'));
  }

  async brands(): Promise<Brand[]> {
    return await this.#get<Brands>('brands');
  }

  get snapshotId(): string {
    return this.#snapshot.id;
  }

  /** The week of a brand with these documents; the others are null. One request for each that was not read before. */
  async week(brand: Brand, kinds: readonly DocumentKind[]): Promise<BrandWeek> {
    const read = kinds.map(async (kind) => [kind, await this.#document(brand, kind)]);
    const none = Object.fromEntries(documentKinds.map((kind) => [kind, null]));
    const { asOf } = this.#snapshot;
    return { brand, asOf, ...none, ...Object.fromEntries(await Promise.all(read)) } as BrandWeek;
  }

  async #document(brand: Brand, kind: DocumentKind): Promise<unknown> {
    const document = this.#get(`brands/${brand.id}/${kind}`);
    // Weeks from before this document existed do not have it.
    return kind === 'results' ? await nullIfGone(document) : await document;
  }

  async #get<Document>(path: string): Promise<Document> {
    const answer = await this.#requests.get<Document>(
      `/api/v1/snapshots/${this.#snapshot.id}/${path}`,
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
