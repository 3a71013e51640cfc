import type { Visibility } from '../../../lib/documents/visibility.ts';
import type { EngineSlug } from '../../../lib/methodology/constants.ts';
import { engineSlugs } from '../../../lib/methodology/constants.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import { dayBeforeWeek } from '../../../lib/methodology/moved.ts';
import { CYCLES_MULTIPLE } from '../../../lib/methodology/same-prompts.ts';
import type { Connection } from '../../duckdb.ts';
import { selectByBrand } from '../documents/document.ts';

/** An engine of a brand, compared prompt by prompt with its earlier weeks. */
export interface Deviation {
  engine: EngineSlug;
  /** Prompts named less those expected, times {@link CYCLES_MULTIPLE}. */
  difference: bigint;
  /** Of that, times its square; above 0. */
  variance: bigint;
}

/** The same, with what the brand's document says of the models. */
export interface BrandDeviation extends Deviation {
  /** Null if models are not known. */
  modelsChanged: boolean | null;
}

/** How an engine moved for all brands of a run together: a change behind it moves many at once, which no brand shows alone. */
export interface EngineShift {
  engine: EngineSlug;
  /** The sum of all differences over its standard deviation: beyond ± 3 it is hardly chance. */
  z: number;
  brands: number;
  /** Brands whose difference has the sign of `z`. */
  sameSign: number;
  /** Brands with known models, and those of them for which another model answers. */
  modelsKnown: number;
  modelsChanged: number;
}

/** The deviations of a slice, by brand, of engines that are warming up too; needs the tables of the visibility document. */
export async function readDeviations(connection: Connection): Promise<(brandNo: number) => Deviation[]> {
  return await selectByBrand<Deviation>(connection, import.meta, 'deviations', { common: CYCLES_MULTIPLE });
}

/** Of a brand, those that its document compares, and whose latest cycle is of this week. */
export function deviationsThisWeek(
  deviations: readonly Deviation[],
  { perEngine }: Visibility,
  asOf: Micros,
): BrandDeviation[] {
  const before = dayBeforeWeek(asOf);
  return deviations.flatMap((deviation) => {
    const { samePrompts, date, modelsChanged } = perEngine.find(({ slug }) => slug === deviation.engine)!;
    return samePrompts === null || date <= before ? [] : [{ ...deviation, modelsChanged }];
  });
}

/** By engine, those that any brand was compared on. */
export function engineShifts(deviations: readonly BrandDeviation[]): EngineShift[] {
  return engineSlugs.flatMap((engine) => {
    const own = deviations.filter((deviation) => deviation.engine === engine);
    if (own.length === 0) return [];
    const sum = (field: 'difference' | 'variance') => own.reduce((total, each) => total + each[field], 0n);
    const difference = sum('difference');
    const known = own.filter(({ modelsChanged }) => modelsChanged !== null);
    return [
      {
        engine,
        z: Number(difference) / Math.sqrt(Number(sum('variance'))),
        brands: own.length,
        sameSign: own.filter((each) => each.difference * difference > 0n).length,
        modelsKnown: known.length,
        modelsChanged: known.filter(({ modelsChanged }) => modelsChanged === true).length,
      },
    ];
  });
}

/** Fewer brands say more of themselves than of the engine. */
const LEAST_BRANDS = 5;
const UNUSUAL_Z = 3;

/** True if the brands moved together further than chance explains: the operator should look for a reason. */
export function isUnusual({ z, brands }: EngineShift): boolean {
  return brands >= LEAST_BRANDS && Math.abs(z) >= UNUSUAL_Z;
}

/** `gemini: 19 of 24 brands moved down; another model answers for 24 of 24: add an event`. */
export function shiftInWords({
  engine,
  z,
  brands,
  sameSign,
  modelsKnown,
  modelsChanged,
}: EngineShift): string {
  const moved = `${engine}: ${sameSign} of ${brands} brands moved ${z < 0 ? 'down' : 'up'}`;
  const models =
    modelsKnown === 0
      ? 'their models are not known'
      : `another model answers for ${modelsChanged} of ${modelsKnown}`;
  return `${moved}; ${models}: add an event`;
}
