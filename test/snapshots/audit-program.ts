import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';

const cli = join(import.meta.dirname, '../../snapshots/cli.ts');

/** Runs `npm run audit` in a folder with only these settings. */
export async function auditIn(folder: string, settings: Record<string, string>, ...options: string[]) {
  const {
    STORE_URL: _store,
    LAKE_URL: _lake,
    LOG_ORIGIN: _origin,
    PUBLIC_KEY_FILE: _key,
    SIGNING_KEY_FILE: _signing,
    ...environment
  } = process.env;
  const child = spawn(process.execPath, [cli, ...options], {
    cwd: folder,
    env: { ...environment, ...settings },
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [status, bytes, complaint] = await Promise.all([closed, buffer(child.stdout), text(child.stderr)]);
  const output = bytes.toString();
  return { status, bytes, output, complaint, json: () => JSON.parse(output) as Record<string, unknown> };
}
