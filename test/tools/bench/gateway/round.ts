import type { Fixture } from './fixture.ts';
import { usageOf } from './process-usage.ts';
import { serving } from './servers.ts';
import type { Contender } from './servers.ts';
import { runWrk } from './wrk.ts';
import type { Measured } from './wrk.ts';

export interface Sample extends Pick<Measured, 'p50' | 'p99' | 'p999' | 'wrong'> {
  name: string;
  what: string;
  /** Requests per second. */
  rate: number;
  /** Processor seconds per 10,000 requests, including helpers; null if the system does not report them. */
  cpuPer10k: number | null;
  /** Resident memory of the server itself, at the end. */
  residentBytes: number | null;
}

const WARM_UP_SECONDS = 2;

/** Starts one contender, warms it up, measures it and stops it. Null if it cannot run here. */
export async function measureRound(
  contender: Contender,
  fixture: Fixture,
  seconds: number,
  connections: number,
): Promise<Sample | null> {
  return await serving(contender, fixture, async (url, child) => {
    const load = { url, connections, key: fixture.key };
    await runWrk({ ...load, seconds: WARM_UP_SECONDS });
    const helpers = contender.helpers?.(fixture) ?? [];
    const before = await usageOf(child.pid!, helpers);
    const { requests, seconds: took, ...measured } = await runWrk({ ...load, seconds });
    const after = await usageOf(child.pid!, helpers);
    const cpu = before === null || after === null ? null : after.cpuSeconds - before.cpuSeconds;
    return {
      name: contender.name,
      what: contender.what,
      ...measured,
      rate: requests / took,
      cpuPer10k: cpu === null ? null : (cpu / requests) * 10_000,
      residentBytes: after?.residentBytes ?? null,
    };
  });
}
