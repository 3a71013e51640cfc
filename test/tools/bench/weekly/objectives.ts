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
  /** The brands of another lake for comparison. */
  besideBrands?: number;
}

const GIB = 1 << 30;

/** The objectives of one lake. Publishing to S3 counts if there is a server. */
export function objectivesAlone({ brands, prompts, cycles }: SizeOptions): Objective[] {
  const isCompared = prompts === 25 && brands === 200 && (cycles === 12 || cycles === 104);
  return [
    { name: 'week', of: 'peakBytes', baseline: [], atMost: 2 * GIB },
    { name: 'week computed', of: 'cpuSeconds', baseline: ['read all'], atMost: null },
    { name: 'week computed', of: 'cpuSeconds', baseline: ['plain way'], atMost: isCompared ? 1.3 : null },
    { name: 'publish', of: 'seconds', baseline: ['copy'], atMost: 3 },
    { name: 'ingest', of: 'seconds', baseline: ['convert'], atMost: 5 },
    { name: 'publish S3', of: 'seconds', baseline: ['put S3'], atMost: null },
  ];
}

/** The objectives of a lake compared with a smaller one. */
export function objectivesBeside({ brands, besideBrands }: SizeOptions): Objective[] {
  const isTenTimes = brands === 20_000 && besideBrands === 2000;
  return [
    { name: 'week', of: 'cpuSeconds', baseline: ['beside'], atMost: isTenTimes ? 12 : null },
    { name: 'week', of: 'peakBytes', baseline: ['beside'], atMost: null },
    { name: 'week', of: 'peakBytes', baseline: [], atMost: 2 * GIB },
  ];
}
