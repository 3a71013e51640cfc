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
}

const GIB = 1 << 30;

/** The objectives of a lake of a size. */
export function objectivesOf({ brands, prompts, cycles }: SizeOptions): Objective[] {
  const isCompared = prompts === 25 && brands === 200 && (cycles === 12 || cycles === 104);
  return [
    { name: 'week', of: 'peakBytes', baseline: [], atMost: 2 * GIB },
    { name: 'week computed', of: 'cpuSeconds', baseline: ['read all'], atMost: null },
    { name: 'week computed', of: 'cpuSeconds', baseline: ['plain way'], atMost: isCompared ? 1.3 : null },
    { name: 'publish', of: 'seconds', baseline: ['copy'], atMost: 3 },
    { name: 'ingest', of: 'seconds', baseline: ['convert'], atMost: 5 },
  ];
}
