import { spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';

export interface Load {
  url: string;
  seconds: number;
  connections: number;
  /** A file with one key per line; they take turns. */
  keysFile: string;
}

export interface Measured {
  requests: number;
  seconds: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  p999: number;
  /** Responses other than 2xx, and broken connections. */
  wrong: number;
}

export interface Generator {
  name: string;
  run(load: Load): Promise<Measured>;
}

/** wrk if it is installed: it takes a third of the processor time of autocannon. */
export async function pickGenerator(): Promise<Generator> {
  return spawnSync('wrk', ['-v']).error === undefined
    ? { name: 'wrk', run: runWrk }
    : { name: 'autocannon', run: runAutocannon };
}

async function runWrk({ url, seconds, connections, keysFile }: Load): Promise<Measured> {
  const script = fileURLToPath(new URL('./wrk.lua', import.meta.url));
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url, '--', keysFile];
  const child = spawn('wrk', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  const output = await text(child.stdout);
  const line = /^JSON (.*)$/m.exec(output)?.[1];
  if (line === undefined) throw new Error(`wrk said nothing: ${output}`);
  return JSON.parse(line) as Measured;
}

async function runAutocannon({ url, seconds, connections, keysFile }: Load): Promise<Measured> {
  const keys = (await readFile(keysFile, 'utf8')).trim().split('\n');
  const requests = keys.map((key) => ({ method: 'GET' as const, headers: { 'x-api-key': key } }));
  const result = await autocannon({ url, connections, duration: seconds, requests });
  return {
    requests: result.requests.total,
    seconds: result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    p999: result.latency.p99_9,
    wrong: result.non2xx + result.errors + result.timeouts,
  };
}
