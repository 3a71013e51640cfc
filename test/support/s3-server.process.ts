/**
 * Runs one S3 server for a test run and ends with it, even if it is killed: `s3-server.process.ts FOLDER OWNER_PID`.
 * Writes FOLDER/ready.json after the start, or FOLDER/failed.txt; removes the folder at the end.
 */
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCeph } from './ceph.ts';
import type { Ceph } from './ceph.ts';

const [folder, owner] = [process.argv[2]!, Number(process.argv[3])];
const told = new AbortController();
process.once('SIGTERM', () => told.abort());

async function leave(name: string, text: string): Promise<void> {
  await writeFile(join(folder, `${name}.part`), text);
  await rename(join(folder, `${name}.part`), join(folder, name));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Retries: another process may have taken one of the ports since they were picked. */
async function startAtLast(): Promise<Ceph> {
  try {
    return await startCeph(join(folder, 'first'));
  } catch {
    return await startCeph(join(folder, 'second'));
  }
}

async function untilTheEnd(): Promise<void> {
  while (isAlive(owner) && !told.signal.aborted) await sleep(300);
}

try {
  const { stop, ...server } = await startAtLast();
  await leave('ready.json', JSON.stringify(server));
  await untilTheEnd();
  await stop();
} catch (error) {
  await leave('failed.txt', String(error));
  await untilTheEnd();
} finally {
  await rm(folder, { recursive: true, force: true });
}
