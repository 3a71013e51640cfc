import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../lib/config.ts';
import type { Failure } from '../../lib/failure.ts';
import { root } from '../docs/pages.ts';

/** A file of the project, by its path from the root. */
export function textAt(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Environment variables of the AWS SDK and Node. */
const ofLibraries = new Set([
  'AWS_ACCESS_KEY_ID',
  'AWS_REGION',
  'AWS_SECRET_ACCESS_KEY',
  'NODE_ENV',
  'PATH',
  'TMPDIR',
]);

/** The settings that none of our programs reads, or that one would refuse. */
export function wrongSettings(environment: Readonly<Record<string, string>>): string[] {
  const known = new Set(
    [...textAt('lib/config.ts').matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name!),
  );
  const unknown = Object.keys(environment).filter((name) => !known.has(name) && !ofLibraries.has(name));
  try {
    readConfig(environment);
    return unknown;
  } catch (error) {
    return [...unknown, (error as Failure).message];
  }
}

/** The arguments of Node in `npm run NAME`, from package.json: flags and the program. */
export function scripts(): Record<string, string> {
  const { scripts: all } = JSON.parse(textAt('package.json')) as { scripts: Record<string, string> };
  const programs = Object.entries(all).flatMap(([name, script]) => {
    const [, program] =
      /^(?:[A-Z_]+=\S+ )*(?:exec )?node ((?:--\S+ )*(?:gateway|jobs|snapshots|infra)\/[\w/]+\.ts)$/.exec(
        script,
      ) ?? [];
    return program === undefined ? [] : [[name, program] as const];
  });
  return Object.fromEntries(programs);
}

/** The lines `KEY=value` of a file that systemd and Node both read as an environment. */
export function environmentFile(path: string): Record<string, string> {
  const lines = textAt(path)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => /^([A-Z_0-9]+)=(.*)$/.exec(line)!.slice(1) as [string, string]),
  );
}
