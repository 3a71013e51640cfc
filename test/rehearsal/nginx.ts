import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { markedBlock } from '../docs/pages.ts';
import { freePort } from '../support/free-port.ts';

const example = new URL('../../infra/nginx/sightline.conf', import.meta.url);

export interface Balancer {
  url: string;
  /** Its warnings, including each gateway that it takes out of service. */
  log(): Promise<string>;
  /** Its access log, of this server only. */
  accessLog(): Promise<string>;
  stop(): Promise<void>;
}

/** Runs nginx in a separate folder with the example of infra/nginx, for two gateways, and without TLS. */
export async function startNginx(folder: string, gateways: readonly string[]): Promise<Balancer> {
  const port = await freePort();
  const [first, second] = gateways.map((url) => new URL(url).host);
  const filledIn = (await readFile(example, 'utf8'))
    .replace('server 127.0.0.1:8080', `server ${first!}`)
    .replace('# server 192.0.2.2:8080', `server ${second!}`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replaceAll(/^ *ssl_certificate.*\n/gm, '')
    .replace('/var/log/nginx/', `${folder}/`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'sightline.conf'), filledIn);
  await writeFile(join(folder, 'nginx.conf'), surroundings(folder));
  const child = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const complaint = text(child.stderr);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  while ((await fetch(url).catch(() => null)) === null) {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${await complaint}`);
    await sleep(20);
  }
  return {
    url,
    log: () => readFile(join(folder, 'nginx.log'), 'utf8'),
    accessLog: () => readFile(join(folder, 'sightline.log'), 'utf8'),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The settings of docs/first-monday.md outside of the http block. */
function ofDebian(): string {
  return /<<'TEXT'\n(.*)^TEXT$/ms.exec(markedBlock('docs/first-monday.md', 'machine: nginx'))![1]!;
}

function surroundings(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off; worker_processes 1; ${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/nginx.pid; error_log ${folder}/nginx.log warn;
${ofDebian()}
http {
  access_log off;
  keepalive_requests 1000000;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  include ${folder}/sightline.conf;
}
`;
}
