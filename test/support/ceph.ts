import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

const execute = promisify(execFile);

export interface Ceph {
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
  stop: () => Promise<void>;
}

/**
 * Starts a complete S3 server in a folder: a Ceph monitor, an object daemon that stores everything in memory, and a
 * RADOS gateway (Debian: radosgw ceph-mon ceph-osd ceph-common). About 12 seconds; everything on 127.0.0.1.
 */
export async function startCeph(folder: string): Promise<Ceph> {
  const [monitorPort, port] = [await freePort(), await freePort()];
  const conf = ['-c', join(folder, 'ceph.conf')];
  const daemons = new Set<ChildProcess>();
  const died = new AbortController();
  let isStopping = false;
  const run = (command: string, args: string[]) => execute(command, args, { signal: died.signal });
  const daemon = (command: string, args: string[], restarts = 0): void => {
    const child = spawn(command, [...conf, '-f', ...args], { stdio: 'ignore' });
    daemons.add(child);
    child.once('exit', (status) => {
      daemons.delete(child);
      if (isStopping) return;
      if (restarts > 0) daemon(command, args, restarts - 1);
      else died.abort(new Error(`${command} ended with status ${status}`));
    });
  };
  const stop = async () => {
    isStopping = true; // data in memory needs no flush
    await Promise.all(
      [...daemons].map(async (child) => {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }),
    );
  };
  try {
    await Promise.all(['mon', 'osd', 'rgw'].map((name) => mkdir(join(folder, name), { recursive: true })));
    const fsid = randomUUID();
    const osd = randomUUID();
    await writeFile(join(folder, 'ceph.conf'), configuration(folder, { fsid, monitorPort, port }));
    const map = join(folder, 'monmap');
    const monitor = `[v1:127.0.0.1:${monitorPort}]`;
    await run('monmaptool', ['--create', '--addv', 'a', monitor, '--fsid', fsid, map]);
    await run('ceph-mon', [...conf, '--mkfs', '-i', 'a', '--monmap', map]);
    daemon('ceph-mon', ['-i', 'a']);
    await run('ceph', [...conf, '--connect-timeout', '200', 'osd', 'new', osd]);
    await run('ceph-osd', [...conf, '-i', '0', '--mkfs', '--osd-uuid', osd]);
    // On a busy machine it may contact the monitor before it knows the cluster's id, and gives up when refused.
    daemon('ceph-osd', ['-i', '0'], 5);
    daemon('radosgw', ['-n', 'client.rgw']);
    const credentials = { accessKeyId: 'test', secretAccessKey: 'testtest' };
    await run('radosgw-admin', [...conf, '-n', 'client.rgw', '--admin-socket=', ...newUser(credentials)]);
    const endpoint = `http://127.0.0.1:${port}`;
    await untilItAnswers(endpoint, died.signal);
    return { endpoint, ...credentials, stop };
  } catch (error) {
    await stop();
    throw new Error(`Ceph did not start: ${String(error)}\n${await lastWords(folder)}`, { cause: error });
  }
}

function newUser({ accessKeyId, secretAccessKey }: { accessKeyId: string; secretAccessKey: string }) {
  const keys = [`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`];
  return ['user', 'create', '--uid=test', '--display-name=test', ...keys];
}

function configuration(
  folder: string,
  { fsid, monitorPort, port }: { fsid: string; monitorPort: number; port: number },
): string {
  return `[global]
fsid = ${fsid}
mon host = 127.0.0.1:${monitorPort}
mon initial members = a
public addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
run dir = ${folder}
log file = ${folder}/$name.log
admin socket = ${folder}/$name.$pid.asok
pid file = ${folder}/$name.pid
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
ms bind msgr2 = false
[mon.a]
mon data = ${folder}/mon
[osd.0]
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 8589934592
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${port} tcp_nodelay=1
rgw data = ${folder}/rgw
`;
}

async function untilItAnswers(endpoint: string, died: AbortSignal): Promise<void> {
  for (let tries = 0; tries < 1000; tries += 1) {
    died.throwIfAborted();
    const answered = await fetch(endpoint).then(
      (response) => response.status < 500,
      () => false,
    );
    if (answered) return;
    await sleep(200);
  }
  throw new Error(`${endpoint} did not answer within 200 s`);
}

async function lastWords(folder: string): Promise<string> {
  const logs = await Promise.all(
    ['mon.a', 'osd.0', 'client.rgw'].map((name) =>
      readFile(join(folder, `${name}.log`), 'utf8').catch(() => ''),
    ),
  );
  return logs.map((log) => log.split('\n').slice(-5).join('\n')).join('\n');
}
