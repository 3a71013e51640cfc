import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Failure } from '../../../../lib/failure.ts';

interface Load {
  url: string;
  seconds: number;
  connections: number;
  key: string;
}

export interface Sample {
  /** Requests per second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  p999: number;
  /** Responses other than 2xx, and broken connections. */
  wrong: number;
}

/** @throws Failure if wrk is not installed: no load generator of npm is as cheap as the measured servers */
export function demandWrk(): void {
  if (spawnSync('wrk', ['-v']).error !== undefined)
    throw new Failure('this benchmark needs wrk: apt-get install wrk');
}

/** As many requests as the connections allow, one after the other on each. */
export async function runWrk({ url, seconds, connections, key }: Load): Promise<Sample> {
  const script = fileURLToPath(new URL('./wrk.lua', import.meta.url));
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url, '--', key];
  const child = spawn('wrk', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  const output = await text(child.stdout);
  const line = /^JSON (.*)$/m.exec(output)?.[1];
  if (line === undefined) throw new Error(`wrk said nothing: ${output}`);
  return JSON.parse(line) as Sample;
}
