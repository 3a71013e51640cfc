import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { textOf } from './files.ts';

interface Locked {
  version: string;
  integrity?: string;
  dev?: boolean;
  hasInstallScript?: boolean;
  os?: string | string[];
  cpu?: string | string[];
  optionalDependencies?: Record<string, string>;
}
interface Manifest {
  optionalDependencies: Record<string, string>;
}

const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, Locked> };
const manifest = JSON.parse(textOf('package.json')) as Manifest;
const installed = Object.entries(packages).filter(([path]) => path !== '');
const allows = (wanted: string | string[] | undefined, actual: string) =>
  wanted === undefined || [wanted].flat().includes(actual);
const runsOn = ({ os, cpu }: Locked, arch: string) => allows(os, 'linux') && allows(cpu, arch);

test.each(['x64', 'arm64'])('every production package for Linux on %s has an integrity hash', (arch) => {
  const ours = installed.filter(([, entry]) => entry.dev !== true && runsOn(entry, arch));
  expect(ours.length).toBeGreaterThan(100);
  const without = ours.filter(([, { integrity }]) => !(integrity ?? '').startsWith('sha512-'));
  expect(without.map(([path]) => path)).toEqual([]);
});

test.each(['x64', 'arm64'])(
  'Node for Linux on %s is a package of the lock file, of one exact version',
  (arch) => {
    const { version, integrity } = packages[`node_modules/node-linux-${arch}`]!;
    expect(integrity).toMatch(/^sha512-/);
    expect(manifest.optionalDependencies[`node-linux-${arch}`]).toBe(version);
  },
);

test('npm scripts run the Node of the lock file', () => {
  const { version } = packages[`node_modules/node-linux-${process.arch}`]!;
  expect(execFileSync('node_modules/.bin/node', ['--version'], { encoding: 'utf8' }).trim()).toBe(
    `v${version}`,
  );
  const printed = execFileSync('npm', ['exec', '--', 'node', '--version'], { encoding: 'utf8' });
  expect(printed.trim()).toBe(`v${version}`);
});

test('no production package runs a script when it is installed, but the bundler', () => {
  const scripted = installed.filter(([, entry]) => entry.dev !== true && entry.hasInstallScript === true);
  // esbuild's script looks whether its native program starts; without the script it works as well.
  expect(scripted.map(([path]) => path)).toEqual(['node_modules/esbuild']);
});

const lockFiles = [
  'package-lock.json',
  'clients/package-lock.json',
  'test/generated-clients/package-lock.json',
];

test.each(lockFiles)('%s names no download addresses', (file) => {
  expect(textOf(file)).not.toMatch(/"resolved": "http/);
});

test('the root installs no packages of the clients', () => {
  const found = Object.keys(packages).filter((path) => /^clients\/|sightline-/.test(path));
  expect(found).toEqual([]);
  expect(textOf('package.json')).not.toContain('workspaces');
});

// npm omits optional packages that a registry does not have; `npm ci` then refuses the file, on every platform.
test.each(lockFiles)('%s has the optional packages of every platform', (file) => {
  const locked = (JSON.parse(textOf(file)) as { packages: Record<string, Locked> }).packages;
  const optional = Object.values(locked).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
  expect(optional.length).toBeGreaterThan(0);
  expect(optional.filter((name) => !(`node_modules/${name}` in locked))).toEqual([]);
});

test('npm ci installs at most 350 packages on Linux, and at most 200 with --omit=dev', () => {
  const onLinux = installed.filter(([, entry]) => runsOn(entry, 'x64'));
  const inProduction = onLinux.filter(([, { dev }]) => dev !== true);
  expect([onLinux.length <= 350, inProduction.length <= 200]).toEqual([true, true]);
});
