import type { Visibility } from '../../lib/documents/visibility.ts';
import { Failure } from '../../lib/failure.ts';
import { formatInstantExactly } from '../../lib/methodology/instant.ts';
import { METHODOLOGY_VERSION } from '../../lib/methodology/constants.ts';
import { VERSION } from '../../lib/version.ts';
import { documentPath } from '../../snapshots/layout.ts';
import type { PublishedDocument, SnapshotContent } from '../../snapshots/publish/write-snapshot.ts';
import { duckdbVersion } from '../duckdb.ts';
import type { Week } from './week.ts';
import { deviationsThisWeek } from './checks/engine-shifts.ts';
import type { BrandDeviation } from './checks/engine-shifts.ts';
import { manifestCompleteness } from './checks/completeness.ts';
import { measurementChanges } from './checks/measurement.ts';
import type { MeasurementChange } from './checks/measurement.ts';
import type { Completeness } from './checks/completeness.ts';
import { brandsDocument } from './documents/brands/brands.ts';
import type { PublishedBrand } from './documents/brands/brands.ts';
import { brandDocuments, readDocuments } from './documents/documents.ts';
import type { BrandSource } from './documents/documents.ts';
import { makeSlice } from './slices/slices.ts';
import type { Slice } from './slices/slices.ts';
import type { OwnRuns } from './inputs/own-runs.ts';
import { inputsOf } from './inputs/state.ts';

/** The snapshot of a workspace and how many brands it has, or why it cannot be computed. */
export type WorkspaceResult = { workspaceId: string } & (
  | {
      brands: number;
      publication: SnapshotContent;
      measurement: MeasurementChange[];
      deviations: BrandDeviation[];
    }
  | { error: unknown }
);

/** The documents of one workspace are in memory until they are published: some 200 KB for a brand after 12 weeks. */
const BYTES_IN_WORKSPACE = 1 << 30;

/** Snapshots one workspace after the other. A document that cannot be made, or too many, fail their workspace alone. */
export async function* snapshotsOf(
  week: Week,
  slices: readonly Slice[],
  own: OwnRuns,
  workspaces: readonly string[],
  completeness: Completeness,
): AsyncGenerator<WorkspaceResult> {
  const origin = {
    asOf: formatInstantExactly(week.asOf),
    methodologyVersion: METHODOLOGY_VERSION,
    codeVersion: VERSION,
    duckdbVersion: duckdbVersion(),
  };
  const all = brandsOf(week, slices);
  let next = await all.next();
  for (const workspaceId of workspaces) {
    const brands: PublishedBrand[] = [];
    const documents: PublishedDocument[] = [];
    const measurement: MeasurementChange[] = [];
    const deviations: BrandDeviation[] = [];
    let failed: { error: unknown } | null = null;
    let bytes = 0;
    for (; next.done !== true && next.value.brand.workspaceId === workspaceId; next = await all.next()) {
      brands.push(next.value.brand);
      if (failed !== null) continue;
      week.onStep?.('encode documents');
      try {
        const ofBrand = brandDocuments(next.value);
        bytes += bytesIn(ofBrand);
        if (bytes > BYTES_IN_WORKSPACE) throw tooLarge(brands.length);
        documents.push(...ofBrand);
        const visibility = visibilityIn(ofBrand, next.value);
        measurement.push(...measurementChanges(workspaceId, visibility, origin.asOf));
        deviations.push(...deviationsThisWeek(next.value.deviations, visibility, week.asOf));
      } catch (error) {
        failed = { error };
        documents.length = 0;
      }
    }
    if (failed !== null) {
      yield { workspaceId, ...failed };
      continue;
    }
    const publication = {
      ...origin,
      inputs: inputsOf(week.state.tracking, own.of(workspaceId)),
      workspaceId,
      workspaceName: week.tracked.get(workspaceId) ?? null,
      completeness: manifestCompleteness(completeness, workspaceId),
      documents: [brandsDocument(brands), ...documents],
    };
    yield { workspaceId, brands: brands.length, publication, measurement, deviations };
  }
}

export function bytesIn(documents: readonly PublishedDocument[]): number {
  return documents.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

function tooLarge(brands: number): Failure {
  return new Failure(
    `the documents of its first ${brands} brands have more than 1 GiB: split it into several workspaces`,
  );
}

function visibilityIn(documents: readonly PublishedDocument[], { brand }: BrandSource): Visibility {
  const { bytes } = documents.find(({ path }) => path === documentPath(brand.id, 'visibility'))!;
  return (JSON.parse(Buffer.from(bytes).toString()) as { data: Visibility }).data;
}

/** Brands in the order of publication, a slice in memory at a time. */
async function* brandsOf(week: Week, slices: readonly Slice[]): AsyncGenerator<BrandSource> {
  for (const slice of slices) {
    await makeSlice(week, slice);
    yield* await readDocuments(week, slice);
  }
}
