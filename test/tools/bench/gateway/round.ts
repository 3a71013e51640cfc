import { readFile } from 'node:fs/promises';
import type { Fixture } from './fixture.ts';
import type { Generator, Load } from './generator.ts';
import { usageOf } from './process-usage.ts';
import { freePort } from '../../../support/free-port.ts';
import { stopped, untilReady } from './servers.ts';
import type { Contender } from './servers.ts';

export interface Sample {
  name: string;
  what: string;
  /** Requests per second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  p999: number;
  wrong: number;
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
  generator: Generator,
  load: Omit<Load, 'url'>,
): Promise<Sample | null> {
  const port = await freePort();
  const child = await contender.start(fixture, port);
  if (child === null) return null;
  try {
    const { path, body } = contender.asked?.(fixture) ?? fixture.current;
    const url = `http://127.0.0.1:${port}${path}`;
    const [firstKey] = (await readFile(load.keysFile, 'utf8')).split('\n');
    await untilReady(url, firstKey!, body, child);
    await generator.run({ ...load, url, seconds: WARM_UP_SECONDS });
    const helpers = contender.helpers?.(fixture) ?? [];
    const before = await usageOf(child.pid!, helpers);
    const measured = await generator.run({ ...load, url });
    const after = await usageOf(child.pid!, helpers);
    const cpu = before === null || after === null ? null : after.cpuSeconds - before.cpuSeconds;
    return {
      name: contender.name,
      what: contender.what,
      rate: measured.requests / measured.seconds,
      p50: measured.p50,
      p99: measured.p99,
      p999: measured.p999,
      wrong: measured.wrong,
      cpuPer10k: cpu === null ? null : (cpu / measured.requests) * 10_000,
      residentBytes: after?.residentBytes ?? null,
    };
  } finally {
    await stopped(child);
  }
}
