import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { root } from '../docs/pages.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolders } from '../support/folder.ts';
import { until } from '../support/until.ts';

const newFolder = temporaryFolders();

describe('infra/nightly', () => {
  let folder: string;
  let settings: Record<string, string>;
  const at = (path: string) => join(folder, path);
  beforeAll(async () => {
    folder = await newFolder();
    for (const name of ['state', 'metrics']) await mkdir(at(name));
    const key = at('key.private.pem');
    settings = {
      STORE_URL: at('store'),
      LAKE_URL: at('lake'),
      SIGNING_KEY_FILE: key,
      PATH: process.env['PATH']!,
    };
    const size = ['--workspaces', '1', '--brands', '1', '--prompts', '2', '--cycles', '2'];
    const steps = [
      ['snapshots/cli.ts', 'keygen', '--out', at('key')],
      ['jobs/cli.ts', 'demo', '--to', at('drop'), ...size, '--as-of', '2026-11-16T06:00:00Z'],
      ['jobs/cli.ts', 'ingest', '--from', at('drop'), '--date', '2026-10-01'],
      ['jobs/cli.ts', 'weekly', '--as-of', '2026-11-16T12:00:00Z'],
    ];
    for (const [program, ...args] of steps) {
      const { status, stderr } = await runProgram(program!, args, settings);
      if (status !== 0) throw new Error(stderr);
    }
  });

  /** Its output until `isDone`, or until it ends. */
  async function nightly(
    more: Record<string, string>,
    isDone: (printed: string) => boolean,
  ): Promise<string> {
    const child = spawn(join(root, 'infra/nightly'), [at('state'), at('metrics')], {
      env: { ...settings, ...more },
      detached: true, // with its sleep, it is ended as a group
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (printed += String(chunk)));
    await until(() => isDone(printed) || child.exitCode !== null);
    expect(child.exitCode).toBe(null);
    const ended = once(child, 'close');
    process.kill(-child.pid!, 'SIGTERM');
    await ended;
    return printed;
  }

  test('verifies nothing before the weekly job has run, and appends if LOG_ORIGIN is set', async () => {
    const printed = await nightly({ LOG_ORIGIN: 'log.example.com/a' }, () =>
      existsSync(at('metrics/sightline-log-unit.prom')),
    );
    expect(printed).not.toContain('Intact.');
    expect(await readFile(at('store/log/checkpoint'), 'utf8')).toMatch(/^log\.example\.com\/a\n1\n/);
  });

  test('verifies against the state of the day before, and reports problems', async () => {
    await writeFile(at('metrics/sightline-weekly.prom'), '');
    const isWritten = () => existsSync(at('metrics/sightline-verify.prom'));
    expect(await nightly({}, isWritten)).toContain('\nIntact.\n');
    expect(existsSync(at('state/state.json'))).toBe(true);
    const metrics = await readFile(at('metrics/sightline-verify.prom'), 'utf8');
    expect(metrics).toMatch(/^sightline_verify_intact 1$/m);
    const emptied = await nightly({ STORE_URL: at('elsewhere') }, (printed) =>
      printed.includes('tried again'),
    );
    expect(emptied).toContain('nightly: sightline-verify failed');
    const failed = await readFile(at('metrics/sightline-verify-unit.prom'), 'utf8');
    expect(failed).toMatch(/^sightline_unit_last_run_success\{unit="sightline-verify"\} 0$/m);
    const appended = await readFile(at('metrics/sightline-log-unit.prom'), 'utf8');
    expect(appended).toMatch(/^sightline_unit_last_run_success\{unit="sightline-log"\} 1$/m);
  });
});
