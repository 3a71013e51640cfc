import { generateKeyPairSync } from 'node:crypto';
import {
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { VERSION } from '../../lib/version.ts';
import { FROZEN } from '../frozen/commands.ts';
import { runHere } from '../support/command-line.ts';
import type { Objects } from '../support/memory-store.ts';
import { workspaceIds } from './history.ts';
import { ORIGIN } from './publish.ts';

/** Makes the files of a store, below a folder, those of these objects, without waiting for the disk. */
export function writeObjects(folder: string, objects: Objects, before: Objects = new Map()): void {
  for (const key of before.keys()) if (!objects.has(key)) rmSync(join(folder, key));
  for (const [key, bytes] of objects) {
    if (before.get(key)?.equals(bytes) === true) continue;
    // A folder is left of an object that had this name and a slash.
    if (!before.has(key)) rmSync(join(folder, key), { recursive: true, force: true });
    mkdirSync(dirname(join(folder, key)), { recursive: true });
    writeFileSync(join(folder, key), bytes);
  }
}

const keys = { private: join(FROZEN, 'key.private.pem'), public: join(FROZEN, 'key.public.pem') };
const names: Record<string, string> = {
  A: workspaceIds[0],
  B: workspaceIds[1],
  PRIVATE: keys.private,
  PUBLIC: keys.public,
  X25519: generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' }).trim(),
  ONE_LINE: readFileSync(keys.public, 'utf8').replaceAll('\n', String.raw`\n`),
};

interface Settings {
  setTime: (time: string) => void;
  LOG_ORIGIN?: string;
}

/**
 * Runs command lines in a folder with `store` and `lake`: the auditor's in this process, signed with the frozen key, and
 * {@link commands}. `$A` and `$B` are two workspaces, `$PUBLIC`, `$PRIVATE` and `$ONE_LINE` the key; settings before a
 * command are of this command only, and `AT` sets the clock.
 * @returns what a terminal shows, without what differs from run to run: the folder, new keys, and our version
 */
export async function transcriptOf(folder: string, story: string, settings: Settings): Promise<string> {
  const shown: string[] = [];
  for (const line of linesOf(story)) shown.push(`$ ${line}\n${await shownBy(folder, line, settings)}`);
  const newKeys = /(fingerprint"?:? ?"?|with the key |_FILE has |"signer":")[0-9a-f]{64}/g;
  return [realpathSync(folder), folder, FROZEN]
    .reduce((text, place) => text.replaceAll(place, 'FOLDER'), shown.join('\n'))
    .replaceAll(VERSION, 'VERSION')
    .replaceAll(/\b[0-9a-f]{32}(?=\.checkpoint)/g, 'HASH-OF-FOLDER')
    .replaceAll(newKeys, '$1KEY');
}

/** The lines of a story, without those that are empty; a line with `{a|b}` is two. */
function linesOf(story: string): string[] {
  const lines = story.split('\n').map((line) => line.trim());
  return lines.filter(Boolean).flatMap((line) => {
    const [, before, each, after] = /^(.*)\{(.*)\}(.*)$/.exec(line) ?? [];
    return each === undefined
      ? [line]
      : each.split('|').map((words) => `${before}${words}${after}`.replaceAll(/ +/g, ' ').trim());
  });
}

/** A word of a line, without quotes. */
const expanded = (word: string) =>
  word.replaceAll('"', '').replaceAll(/\$([A-Z\d_]+)/g, (_, name: string) => names[name]!);

async function shownBy(folder: string, line: string, { setTime, ...others }: Settings): Promise<string> {
  const own = [...line.matchAll(/\b([A-Z_]+)=(\S*) /g)];
  const { AT = '2026-11-20T12:00:00Z', ...given }: Record<string, string> = Object.fromEntries(
    own.map(([, name, value]) => [name, expanded(value!)]),
  );
  const command = line.slice(own.map(([text]) => text).join('').length);
  const [name, ...rest] = command.match(/"[^"]*"|\S+/g)!.map(expanded) as [string, ...string[]];
  setTime(AT);
  if (commands[name] !== undefined) return commands[name](folder, rest) ?? '';
  const settings = {
    STORE_URL: 'store',
    LAKE_URL: 'lake',
    LOG_ORIGIN: ORIGIN,
    SIGNING_KEY_FILE: keys.private,
    PUBLIC_KEY_FILE: keys.public,
    XDG_STATE_HOME: join(folder, 'states'),
    ...others,
    ...given,
  };
  const { status, stdout, stderr } = await runHere('audit', rest, { folder, settings });
  return `${stdout}${stderr}${status === 0 ? '' : `exit status ${status}\n`}`;
}

/** Commands on files: a shell would take as long as a verification. Paths may be patterns. What they return is printed. */
const commands: Record<string, (cwd: string, words: string[]) => string | undefined> = {
  ls: (cwd, patterns) => found(cwd, patterns).map(listed).join(''),
  cat: (cwd, patterns) => found(cwd, patterns).map(textOf).join(''),
  rm: (cwd, patterns) => quietly(found(cwd, patterns), (path) => rmSync(path, { recursive: true })),
  cp: (cwd, [from, to]) =>
    quietly(found(cwd, [from!]), (path) => cpSync(path, join(cwd, to!), { recursive: true })),
  mkdir: (cwd, [path]) => quietly([join(cwd, path!)], (folder) => mkdirSync(folder)),
  write: (cwd, [text, path]) =>
    quietly([found(cwd, [path!])[0] ?? join(cwd, path!)], (file) => writeFileSync(file, `${text}\n`)),
  replace: (cwd, [from, to, ...patterns]) =>
    quietly(found(cwd, patterns), (path) =>
      writeFileSync(path, readFileSync(path, 'latin1').replaceAll(from!, to!), 'latin1'),
    ),
};

function quietly(paths: string[], change: (path: string) => void): undefined {
  for (const path of paths) change(path);
}

const found = (cwd: string, patterns: string[]) =>
  globSync(patterns, { cwd })
    .toSorted()
    .map((path) => join(cwd, path));
const textOf = (path: string) => readFileSync(path, 'utf8');

/** A file, and if only its owner can read it. */
function listed(path: string): string {
  const { mode } = statSync(path);
  if (statSync(path).isDirectory()) return '';
  return `${path}${(mode & 0o077) === 0 ? ' (private)' : ''}\n`;
}
