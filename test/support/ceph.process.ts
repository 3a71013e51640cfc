/**
 * Runs a complete S3 server for a test run, and ends with it even if that is killed: `ceph.process.ts FOLDER OWNER_PID`. A
 * Ceph monitor, an object daemon that stores everything in memory, and a RADOS gateway (Debian: radosgw ceph-mon ceph-osd
 * ceph-common), on 127.0.0.1. Writes FOLDER/ready.json after the start (about 12 seconds), or FOLDER/failed.txt; removes
 * the folder at the end.
 */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

const [folder, owner] = [process.argv[2]!, Number(process.argv[3])];
const execute = promisify(execFile);
const fsid = randomUUID();
const [monitorPort, port] = [await freePort(), await freePort()];
const endpoint = `http://127.0.0.1:${port}`;
const credentials = { accessKeyId: 'test', secretAccessKey: 'testtest' };
const conf = ['-c', join(folder, 'ceph.conf')];

const configuration = `[global]
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

const daemons = new Set<ChildProcess>();
const died = new AbortController();

function daemon(command: string, args: string[], restarts = 0): void {
  const child = spawn(command, [...conf, '-f', ...args], { stdio: 'ignore' });
  daemons.add(child);
  child.once('exit', (status) => {
    daemons.delete(child);
    if (restarts > 0) daemon(command, args, restarts - 1);
    else died.abort(new Error(`${command} ended with status ${status}`));
  });
}

const run = (command: string, args: string[]) => execute(command, args, { signal: died.signal });

async function start(): Promise<void> {
  await Promise.all(['mon', 'osd', 'rgw'].map((name) => mkdir(join(folder, name), { recursive: true })));
  await writeFile(join(folder, 'ceph.conf'), configuration);
  const [map, monitor] = [join(folder, 'monmap'), `[v1:127.0.0.1:${monitorPort}]`];
  await run('monmaptool', ['--create', '--addv', 'a', monitor, '--fsid', fsid, map]);
  await run('ceph-mon', [...conf, '--mkfs', '-i', 'a', '--monmap', map]);
  daemon('ceph-mon', ['-i', 'a']);
  const osd = randomUUID();
  await run('ceph', [...conf, '--connect-timeout', '200', 'osd', 'new', osd]);
  await run('ceph-osd', [...conf, '-i', '0', '--mkfs', '--osd-uuid', osd]);
  // On a busy machine it may contact the monitor before it knows the cluster's id, and gives up when refused.
  daemon('ceph-osd', ['-i', '0'], 5);
  daemon('radosgw', ['-n', 'client.rgw']);
  const keys = [`--access-key=${credentials.accessKeyId}`, `--secret-key=${credentials.secretAccessKey}`];
  const user = ['user', 'create', '--uid=test', '--display-name=test', ...keys];
  await run('radosgw-admin', [...conf, '-n', 'client.rgw', '--admin-socket=', ...user]);
  const isServing = async () => ((await fetch(endpoint).catch(() => null))?.status ?? 500) < 500;
  await until(isServing, `${endpoint} serves`, { withinSeconds: 200, everyMs: 200 });
}

async function lastWords(): Promise<string> {
  const logs = ['mon.a', 'osd.0', 'client.rgw'].map((name) => join(folder, `${name}.log`));
  const texts = await Promise.all(logs.map((path) => readFile(path, 'utf8').catch(() => '')));
  return texts.map((text) => text.split('\n').slice(-5).join('\n')).join('\n');
}

async function leave(name: string, text: string): Promise<void> {
  await writeFile(join(folder, `${name}.part`), text);
  await rename(join(folder, `${name}.part`), join(folder, name));
}

function hasOwnerEnded(): boolean {
  try {
    return !process.kill(owner, 0);
  } catch {
    return true;
  }
}

try {
  await start();
  await leave('ready.json', JSON.stringify({ endpoint, ...credentials }));
} catch (error) {
  await leave('failed.txt', `Ceph did not start: ${String(error)}\n${await lastWords()}`);
}
await until(hasOwnerEnded, 'the end of the tests', { withinSeconds: Infinity, everyMs: 300 });
for (const child of daemons) {
  child.removeAllListeners('exit');
  child.kill('SIGKILL'); // data in memory needs no flush
}
await rm(folder, { recursive: true, force: true, maxRetries: 5 });
process.exit();
