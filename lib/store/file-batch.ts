import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { codeOf, foldersBetween, isTemporary, temporaryBeside, writingNow } from './files.ts';

export interface NewFile {
  file: string;
  bytes: Uint8Array;
}

export interface NamedFiles {
  /** Of each file, in their order, whether it was created. */
  created: boolean[];
  /** Folders whose lists of names have changed. */
  folders: string[];
}

/**
 * Files that are created together, each once: first all bytes and then, when those are on the disk, all names. Not
 * through promises: with those, writing alone took three times as long as the rest together.
 */
export interface FileBatch {
  write(files: readonly NewFile[]): void;
  /** Where the bytes are, and the folders that they are in, all of which has to be on the disk before `name`. */
  written(): string[];
  name(): NamedFiles;
  /** What cannot be removed stays, unseen. */
  discard(): void;
}

/**
 * Where the folder of the first file is not there yet, it is made under another name, with everything below it, and
 * takes its own in one step: of 0.6 s of CPU for 10,000 files of 30 KB (tmpfs), naming each took a half.
 */
export function fileBatch(): FileBatch {
  const created: boolean[] = [];
  const beside: Pending[] = [];
  const folders = new Set<string>();
  let tree: Tree | null = null;

  const begin = (root: string): Tree | null => {
    if (existsSync(root)) return null;
    addFolder(folders, dirname(root));
    return newTree(root);
  };
  const write = ({ file, bytes }: NewFile): void => {
    if (created.length === 0) tree = begin(dirname(file));
    const index = created.push(false) - 1;
    if (tree?.holds(file) === true) {
      tree.write({ index, file, temporary: tree.temporaryOf(file) }, bytes);
      return;
    }
    if (isFile(file)) return;
    addFolder(folders, dirname(file));
    const pending = { index, file, temporary: temporaryBeside(file) };
    beside.push(pending);
    writeFileSync(pending.temporary, bytes, { flag: 'wx' });
  };
  const takeNames = (all: readonly Pending[]): void => {
    for (const each of all) created[each.index] = writingNow(each.file, () => takeName(each));
  };
  const nameTree = (all: Tree): void => {
    const { root, files } = all;
    if (writingNow(root, () => all.takeName())) {
      for (const { index } of files) created[index] = true;
      sweepBeside(root);
      return;
    }
    for (const { file } of files) writingNow(file, () => addFolder(folders, dirname(file)));
    takeNames(files);
    all.discard();
  };
  return {
    write(files) {
      for (const each of files) writingNow(each.file, () => write(each));
    },
    written: () => [...(tree?.written() ?? []), ...beside.map(({ temporary }) => temporary)],
    name() {
      if (tree !== null) nameTree(tree);
      takeNames(beside);
      return { created, folders: [...folders] };
    },
    discard() {
      tree?.discard();
      for (const { temporary } of beside) remove(temporary);
    },
  };
}

/** A file whose bytes are in `temporary`. */
interface Pending {
  index: number;
  file: string;
  temporary: string;
}

/** A folder that is made under another name. */
function newTree(root: string) {
  const temporary = temporaryBeside(root);
  const folders = new Set<string>();
  const files: Pending[] = [];
  const makeFolder = (folder: string): void => {
    if (folders.has(folder)) return;
    if (folder !== temporary) makeFolder(dirname(folder));
    mkdirSync(folder);
    folders.add(folder);
  };
  return {
    root,
    files,
    holds: (file: string) => file.startsWith(root + sep),
    temporaryOf: (file: string) => temporary + file.slice(root.length),
    write(pending: Pending, bytes: Uint8Array): void {
      makeFolder(dirname(pending.temporary));
      try {
        writeFileSync(pending.temporary, bytes, { flag: 'wx' });
        files.push(pending);
      } catch (error) {
        if (codeOf(error) !== 'EEXIST' || !isFile(pending.temporary)) throw error; // or it came twice
      }
    },
    written: () => [...files.map((file) => file.temporary), ...folders],
    /** False where the folder is there by now. */
    takeName(): boolean {
      try {
        renameSync(temporary, root);
        return true;
      } catch (error) {
        if (['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) return false;
        throw error;
      }
    },
    discard: () => remove(temporary),
  };
}

type Tree = ReturnType<typeof newTree>;

/** Makes a folder, where it is not there yet, that a name is going to be added to. */
function addFolder(changed: Set<string>, folder: string): void {
  if (changed.has(folder)) return;
  const first = mkdirSync(folder, { recursive: true });
  if (first !== undefined) for (const each of foldersBetween(first, folder)) changed.add(each);
  changed.add(folder);
}

/** False where the name is taken by a file. */
function takeName({ file, temporary }: Pending): boolean {
  try {
    linkSync(temporary, file); // unlike rename, fails where the name is taken
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && isFile(file)) return false;
    throw error;
  } finally {
    unlinkSync(temporary);
  }
  return true;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** No batch takes this long. */
const DAY_MS = 86_400_000;

/** Removes what batches left beside a new folder, a day or more before it was made, because they were killed. */
function sweepBeside(root: string): void {
  const folder = dirname(root);
  try {
    const dayBefore = statSync(root).mtimeMs - DAY_MS;
    for (const name of readdirSync(folder).filter(isTemporary)) {
      const left = join(folder, name);
      if (statSync(left).mtimeMs < dayBefore) remove(left);
    }
  } catch {} // what was asked for is done; the next batch sweeps again
}

/** The error to tell is the one that came first. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {}
}
