import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import { onTestFinished, TestRunner } from 'vitest';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

type Settings = Record<string, string>;

function start(
  file: string,
  args: readonly string[],
  settings: Settings,
  before: readonly string[] = [],
): ChildProcess {
  const command = [process.execPath, file, ...args];
  const shell = ['/bin/sh', '-c', `${before.map((line) => `${line}; `).join('')}exec "$@"`, 'sh', ...command];
  const [program, ...rest] = before.length === 0 ? command : shell;
  const child = spawn(program!, rest, {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: 'node_modules/.cache/sightline', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  killAfterTest(child);
  return child;
}

/** Kills a program that a failed test leaves running. What `beforeAll` starts, its own cleanup must end. */
export function killAfterTest(child: ChildProcess): void {
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => void child.kill('SIGKILL'));
}

/** Runs a command to its end. */
export async function runProgram(file: string, args: readonly string[], settings: Settings): Promise<Ended> {
  const child = start(file, args, settings);
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    new Promise<number | null>((resolve) => child.on('exit', resolve)),
  ]);
  return { status, stdout, stderr };
}

export interface RunningGatewayProcess {
  url: string;
  operationsUrl: string;
  child: ChildProcess;
  /** Lines of its log so far. */
  log: string[];
  /** Its exit status, when all lines of its log are there. */
  ended: Promise<number | null>;
}

interface Serving {
  msg: string;
  url: string;
  operations: string;
}

/**
 * Starts a gateway on a free port, which does not drain when it is stopped, and waits until it serves. `before`: lines for
 * the shell that starts it.
 */
export async function startGatewayProcess(
  settings: Settings,
  before: readonly string[] = [],
): Promise<RunningGatewayProcess> {
  const usual = { PORT: '0', METRICS_PORT: '0', DRAIN_SECONDS: '0' };
  const child = start('gateway/main.ts', [], { ...usual, ...settings }, before);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const log: string[] = [];
  const stderr = text(child.stderr!);
  const { url, operations } = await new Promise<Serving>((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      log.push(line);
      const said = JSON.parse(line) as Serving;
      if (said.msg === 'serving') resolve(said);
    });
    void ended.then(async () => reject(new Error(await stderr)));
  });
  return { url, operationsUrl: operations, child, log, ended };
}

/** As {@link startGatewayProcess}, for a gateway whose standard output cannot be read. */
export async function startUnreadGatewayProcess(
  settings: Settings,
  before: readonly string[],
): Promise<Omit<RunningGatewayProcess, 'log'>> {
  const [port, operationsPort] = [String(await freePort()), String(await freePort())];
  const ports = { PORT: port, METRICS_PORT: operationsPort, DRAIN_SECONDS: '0' };
  const child = start('gateway/main.ts', [], { ...settings, ...ports }, before);
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const [url, operationsUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${operationsPort}`];
  const stderr = text(child.stderr!);
  await until(async () => {
    if (child.exitCode !== null) throw new Error(await stderr);
    return (await fetch(`${url}/openapi.json`).catch(() => null))?.ok === true;
  }, 'the gateway serves');
  return { url, operationsUrl, child, ended };
}
