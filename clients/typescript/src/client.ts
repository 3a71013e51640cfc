import type { Brand, operations } from './api.ts';
import { Connection } from './connection.ts';
import type { RequestOptions, SightlineResponse } from './connection.ts';
import { changesSince, visitOf } from './documents.ts';
import type { ChangedDocument, Visit } from './documents.ts';
import type { SightlineOptions } from './options.ts';
import { wait } from './wait.ts';

/** The response of an operation of the API. */
type Returns<Id extends keyof operations> = Promise<
  SightlineResponse<operations[Id]['responses'][200]['content']['application/json']['data']>
>;

/** The name of a table. */
export type TableName = operations['getTable']['parameters']['path']['table'];

/**
 * A client of the API. Each method is one operation. It retries 429, server errors and network errors, and throws
 * SightlineError, or the reason of its signal.
 */
export class Sightline {
  readonly #connection: Connection;

  /** @throws SightlineError for a key that is empty or malformed; TypeError for another invalid option. */
  constructor(options: SightlineOptions) {
    this.#connection = new Connection(options);
  }

  /** All brands of the workspace, oldest first. */
  listBrands(options?: RequestOptions): Returns<'listBrands'> {
    return this.#get('brands', options);
  }

  /** The week of all brands: read it first. */
  getWeek(options?: RequestOptions): Returns<'getWeek'> {
    return this.#get('week', options);
  }

  /** One table over all brands: columns with their types, and rows. */
  getTable(table: TableName, options?: RequestOptions): Returns<'getTable'> {
    return this.#get(pathOf`tables/${table}`, options);
  }

  /** Engines that are silent, engines that moved, scores, drift bands, trend, signals. */
  getVisibility(brandId: string, options?: RequestOptions): Returns<'getVisibility'> {
    return this.#get(pathOf`brands/${brandId}/visibility`, options);
  }

  /** Core and carousel of every active prompt and engine. */
  getStability(brandId: string, options?: RequestOptions): Returns<'getStability'> {
    return this.#get(pathOf`brands/${brandId}/stability`, options);
  }

  /** Share of voice with intervals and ties. */
  getCompetitors(brandId: string, options?: RequestOptions): Returns<'getCompetitors'> {
    return this.#get(pathOf`brands/${brandId}/competitors`, options);
  }

  /** At most 20 cited domains, the largest lead of the competitors first, and how often the own site is cited. */
  getSources(brandId: string, options?: RequestOptions): Returns<'getSources'> {
    return this.#get(pathOf`brands/${brandId}/sources`, options);
  }

  /** The result of each prompt on each engine, this week and the week before. */
  getResults(brandId: string, options?: RequestOptions): Returns<'getResults'> {
    return this.#get(pathOf`brands/${brandId}/results`, options);
  }

  /** Who was named, week by week on each engine. */
  getTimeline(brandId: string, options?: RequestOptions): Returns<'getTimeline'> {
    return this.#get(pathOf`brands/${brandId}/timeline`, options);
  }

  /** Every tracked question, including paused ones. */
  listPrompts(brandId: string, options?: RequestOptions): Returns<'listPrompts'> {
    return this.#get(pathOf`brands/${brandId}/prompts`, options);
  }

  /** All published snapshots, newest first. */
  listSnapshots(options?: RequestOptions): Returns<'listSnapshots'> {
    return this.#get('snapshots', options);
  }

  /** Manifest, entry of the transparency log, and the proof that the log contains it. */
  getSnapshotProof(snapshotId: string, options?: RequestOptions): Returns<'getSnapshotProof'> {
    return this.#get(pathOf`snapshots/${snapshotId}/proof`, options);
  }

  /** The list of brands as it was published. */
  listBrandsOfSnapshot(snapshotId: string, options?: RequestOptions): Returns<'listBrandsOfSnapshot'> {
    return this.#get(pathOf`snapshots/${snapshotId}/brands`, options);
  }

  /** The week as it was published. */
  getWeekOfSnapshot(snapshotId: string, options?: RequestOptions): Returns<'getWeekOfSnapshot'> {
    return this.#get(pathOf`snapshots/${snapshotId}/week`, options);
  }

  /** The table as it was published. */
  getTableOfSnapshot(
    snapshotId: string,
    table: TableName,
    options?: RequestOptions,
  ): Returns<'getTableOfSnapshot'> {
    return this.#get(pathOf`snapshots/${snapshotId}/tables/${table}`, options);
  }

  /** The document as it was published. */
  getVisibilityOfSnapshot(
    snapshotId: string,
    brandId: string,
    options?: RequestOptions,
  ): Returns<'getVisibilityOfSnapshot'> {
    return this.#get(pathOf`snapshots/${snapshotId}/brands/${brandId}/visibility`, options);
  }

  /** The document as it was published. */
  getStabilityOfSnapshot(
    snapshotId: string,
    brandId: string,
    options?: RequestOptions,
  ): Returns<'getStabilityOfSnapshot'> {
    return this.#get(pathOf`snapshots/${snapshotId}/brands/${brandId}/stability`, options);
  }

  /** The document as it was published. */
  getCompetitorsOfSnapshot(
    snapshotId: string,
    brandId: string,
    options?: RequestOptions,
  ): Returns<'getCompetitorsOfSnapshot'> {
    return this.#get(pathOf`snapshots/${snapshotId}/brands/${brandId}/competitors`, options);
  }

  /** The document as it was published. */
  getSourcesOfSnapshot(
    snapshotId: string,
    brandId: string,
    options?: RequestOptions,
  ): Returns<'getSourcesOfSnapshot'> {
    return this.#get(pathOf`snapshots/${snapshotId}/brands/${brandId}/sources`, options);
  }

  /** The document as it was published. */
  getResultsOfSnapshot(
    snapshotId: string,
    brandId: string,
    options?: RequestOptions,
  ): Returns<'getResultsOfSnapshot'> {
    return this.#get(pathOf`snapshots/${snapshotId}/brands/${brandId}/results`, options);
  }

  /** The document as it was published. */
  getTimelineOfSnapshot(
    snapshotId: string,
    brandId: string,
    options?: RequestOptions,
  ): Returns<'getTimelineOfSnapshot'> {
    return this.#get(pathOf`snapshots/${snapshotId}/brands/${brandId}/timeline`, options);
  }

  /** The document as it was published. */
  getPromptsOfSnapshot(
    snapshotId: string,
    brandId: string,
    options?: RequestOptions,
  ): Returns<'getPromptsOfSnapshot'> {
    return this.#get(pathOf`snapshots/${snapshotId}/brands/${brandId}/prompts`, options);
  }

  /**
   * Yields every brand of the workspace. Before each brand it waits for the next minute if the allowance has fewer
   * requests left than the most expensive brand so far has taken. It counts the requests of this client only.
   */
  async *brands(options: RequestOptions = {}): AsyncGenerator<Brand, void, undefined> {
    const { data } = await this.listBrands(options);
    let cost = 1;
    for (const brand of data) {
      await this.#pace(cost, options.signal);
      const before = this.#connection.responses;
      yield brand;
      cost = Math.max(cost, this.#connection.responses - before);
    }
  }

  /**
   * Names the documents of brands that changed since an earlier visit, by two requests: the list of brands and, if another
   * snapshot is current, its proof. The proof is not verified.
   * @param before `visit` of the earlier call; null at the first: then every document is new
   * @returns `visit`: keep it for the next call; null before the first snapshot
   */
  async changedDocuments(
    before: Visit | null,
    options?: RequestOptions,
  ): Promise<{ brands: Brand[]; changed: ChangedDocument[]; visit: Visit | null }> {
    const { data: brands, snapshotId } = await this.listBrands(options);
    if (snapshotId === null) return { brands, changed: [], visit: null };
    if (snapshotId === before?.snapshotId) return { brands, changed: [], visit: before };
    const { data: proof } = await this.getSnapshotProof(snapshotId, options);
    const visit = visitOf(snapshotId, proof.manifest);
    return { brands, changed: changesSince(before, visit), visit };
  }

  async #pace(cost: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const allowance = this.#connection.rateLimit;
    if (allowance === null || allowance.remaining >= Math.min(cost, allowance.limit)) return;
    // Not longer than a minute, so that a wrong clock here cannot stop the loop.
    const ms = Math.min(allowance.resetsAt.getTime() - Date.now(), 60_000);
    if (ms > 0) await wait(ms, signal);
  }

  async #get<Data>(path: string, options: RequestOptions | undefined): Promise<SightlineResponse<Data>> {
    return await this.#connection.get<Data>(`/api/v1/${path}`, options);
  }
}

/** A path with ids, which are percent-encoded. */
function pathOf(parts: TemplateStringsArray, ...ids: string[]): string {
  return String.raw({ raw: parts }, ...ids.map(partOf));
}

/** URL parsers resolve `..`, even if it is encoded once. Encoded twice, it is an unknown id: 404. */
function partOf(id: string): string {
  const part = encodeURIComponent(id.toWellFormed());
  return part === '.' || part === '..' ? part.replaceAll('.', '%252E') : part;
}
