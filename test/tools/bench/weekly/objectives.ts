/** A measurement and its objective. */
export interface Objective {
  name: string;
  of: 'seconds' | 'cpuSeconds' | 'peakBytes';
  /** The measurements by whose sum it is divided; empty: it is compared directly. */
  baseline: readonly string[];
  /** A ratio, or seconds or bytes; null if there is no objective at this size. */
  atMost: number | null;
}

export interface SizeOptions {
  brands: number;
  prompts: number;
  cycles: number;
  /** The size of another lake for comparison. */
  besideBrands?: number;
  besideCycles?: number;
}

const GIB = 1 << 30;

/** The objectives of one lake. Publishing to S3 counts if there is a server. */
export function objectivesAlone(size: SizeOptions): Objective[] {
  const isUsual = isOf(size, 2000, 12);
  const usual = (atMost: number) => (isUsual ? atMost : null);
  let plain: number | null = null;
  if (isOf(size, 200, 12)) plain = 0.7;
  if (isOf(size, 200, 104)) plain = 0.5;
  return [
    { name: 'week', of: 'cpuSeconds', baseline: [], atMost: usual(40) },
    { name: 'week', of: 'peakBytes', baseline: [], atMost: usual(1.5 * GIB) },
    { name: 'full', of: 'cpuSeconds', baseline: [], atMost: usual(90) },
    { name: 'full', of: 'peakBytes', baseline: [], atMost: usual(3 * GIB) },
    { name: 'week computed', of: 'cpuSeconds', baseline: ['read week'], atMost: null },
    { name: 'week computed', of: 'cpuSeconds', baseline: ['plain way'], atMost: plain },
    { name: 'full computed', of: 'cpuSeconds', baseline: ['read all'], atMost: null },
    { name: 'full computed', of: 'cpuSeconds', baseline: ['plain way'], atMost: null },
    { name: 'publish', of: 'seconds', baseline: ['copy'], atMost: 3 },
    { name: 'ingest', of: 'seconds', baseline: ['convert'], atMost: 5 },
    { name: 'publish S3', of: 'seconds', baseline: ['put S3'], atMost: null },
  ];
}

function isOf({ brands, prompts, cycles }: SizeOptions, ofBrands: number, ofCycles: number): boolean {
  return prompts === 25 && brands === ofBrands && cycles === ofCycles;
}

/** The objectives of a lake compared with a smaller one. */
export function objectivesBeside({ brands, cycles, besideBrands, besideCycles }: SizeOptions): Objective[] {
  const tenTimes = brands === 20_000 && besideBrands === 2000;
  const years = cycles === 104 && besideCycles === 8;
  let atMost: number | null = null;
  if (years) atMost = 1.4;
  if (tenTimes) atMost = 12;
  return [
    { name: 'week', of: 'cpuSeconds', baseline: ['beside'], atMost },
    { name: 'week', of: 'peakBytes', baseline: ['beside'], atMost: null },
    { name: 'week', of: 'peakBytes', baseline: [], atMost: tenTimes ? 4 * GIB : null },
  ];
}
