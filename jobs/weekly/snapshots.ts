import { Failure } from '../../lib/failure.ts';
import { formatInstantExactly } from '../../lib/methodology/instant.ts';
import { METHODOLOGY_VERSION } from '../../lib/methodology/constants.ts';
import { VERSION } from '../../lib/version.ts';
import type { PublishedDocument, SnapshotContent } from '../../snapshots/publish/write-snapshot.ts';
import { duckdbVersion } from '../duckdb.ts';
import type { Week } from './week.ts';
import { deviationsThisWeek } from './checks/engine-shifts.ts';
import type { BrandDeviation } from './checks/engine-shifts.ts';
import { manifestCompleteness } from './checks/completeness.ts';
import { measurementChanges } from './checks/measurement.ts';
import type { MeasurementChange } from './checks/measurement.ts';
import type { Completeness } from './checks/completeness.ts';
import type { Brands } from '../../lib/documents/brands.ts';
import { brandsDocument, listedBrand } from './documents/brands/brands.ts';
import { brandDocuments, readDocuments } from './documents/documents.ts';
import { WorkspaceDocuments, readForWorkspace } from './documents/workspace.ts';
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
    const made: Made = {
      brands: [],
      documents: [],
      whole: new WorkspaceDocuments(week.asOf),
      measurement: [],
      deviations: [],
      bytes: 0,
    };
    let failed: { error: unknown } | null = null;
    for (; next.done !== true && next.value.brand.workspaceId === workspaceId; next = await all.next()) {
      if (failed !== null) continue;
      const source = next.value;
      failed = errorOf(() => addBrand(made, source, week, origin));
    }
    failed ??= errorOf(() => made.documents.push(...made.whole.documents()));
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
      documents: [brandsDocument(made.brands), ...made.documents],
    };
    const { measurement, deviations } = made;
    yield { workspaceId, brands: made.brands.length, publication, measurement, deviations };
  }
}

/** What was made for a workspace so far. */
interface Made {
  brands: Brands;
  documents: PublishedDocument[];
  whole: WorkspaceDocuments;
  measurement: MeasurementChange[];
  deviations: BrandDeviation[];
  bytes: number;
}

/** @throws Failure that names what is unsound, or if it is too much */
function addBrand(made: Made, source: BrandSource, week: Week, { asOf, methodologyVersion }: Origin): void {
  const brand = listedBrand(source.brand);
  const ofBrand = brandDocuments(source);
  const documents = readForWorkspace(ofBrand);
  made.brands.push(brand);
  made.documents.push(...ofBrand);
  made.measurement.push(...measurementChanges(source.brand.workspaceId, documents.visibility, asOf));
  made.deviations.push(...deviationsThisWeek(source.deviations, documents.visibility, week.asOf));
  made.bytes += bytesIn(ofBrand) + made.whole.add({ brand, methodologyVersion, documents });
  if (made.bytes > BYTES_IN_WORKSPACE) throw tooLarge(made.brands.length);
}

type Origin = Pick<SnapshotContent, 'asOf' | 'methodologyVersion'>;

function errorOf(work: () => void): { error: unknown } | null {
  try {
    work();
    return null;
  } catch (error) {
    return { error };
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

/** Brands in the order of publication, a slice in memory at a time. */
async function* brandsOf(week: Week, slices: readonly Slice[]): AsyncGenerator<BrandSource> {
  for (const slice of slices) {
    await makeSlice(week, slice);
    yield* await readDocuments(week, slice);
  }
}
