import { startThread } from '../thread.ts';
import type { Thread } from '../thread.ts';
import type { NamedFiles } from './file-batch.ts';
import type { Answer, Question } from './file-batch.worker.ts';
import type { Entries, Entry } from './store.ts';
import { syncTogether } from './sync-together.ts';

/** What is handed to the thread at one time, unless one file is larger. */
const GROUP_BYTES = 1 << 20;

/**
 * Creates many files, each once: all bytes, one wait for the disk, all names, another wait. A thread of its own writes
 * them, because making files is half of what this process does while it publishes.
 * @returns for each entry, in their order, whether it was created.
 */
export async function createFiles(entries: Entries, fileOf: (key: string) => string): Promise<boolean[]> {
  thread ??= startThread(new URL('file-batch.worker.ts', import.meta.url));
  const batch = ++batches;
  const ask = async (question: Question) => await thread!.ask(question);
  try {
    for await (const group of groupsOf(entries)) await write(batch, group, fileOf);
    await syncTogether((await ask({ batch, step: 'written' })) as string[]);
    const { created, folders } = (await ask({ batch, step: 'name' })) as NamedFiles;
    await syncTogether(folders);
    return created;
  } catch (error) {
    await ask({ batch, step: 'discard' }).catch(() => undefined); // the first error is the one to tell
    throw error;
  }
}

/** Begun when it is first needed: a gateway only reads. */
let thread: Thread<Question, Answer> | null = null;
let batches = 0;

/** Entries that fit into one piece of memory, or one that is larger. */
async function* groupsOf(entries: Entries): AsyncGenerator<Entry[]> {
  let group: Entry[] = [];
  let bytes = 0;
  for await (const entry of entries) {
    if (bytes + entry.bytes.length > GROUP_BYTES && group.length > 0) {
      yield group;
      [group, bytes] = [[], 0];
    }
    group.push(entry);
    bytes += entry.bytes.length;
  }
  if (group.length > 0) yield group;
}

async function write(batch: number, group: readonly Entry[], fileOf: (key: string) => string): Promise<void> {
  const files = group.map(({ key, bytes }) => ({ file: fileOf(key), bytes: bytes.length }));
  const memory = takeMemory(files.reduce((sum, file) => sum + file.bytes, 0));
  const bytes = new Uint8Array(memory);
  let offset = 0;
  for (const entry of group) {
    bytes.set(entry.bytes, offset);
    offset += entry.bytes.length;
  }
  await thread!.ask({ batch, step: 'write', files, memory });
  if (memory.byteLength === GROUP_BYTES) idle.push(memory);
}

/** Shared with the thread and used again: new memory for every group costs as much as to fill it. */
const idle: SharedArrayBuffer[] = [];

function takeMemory(bytes: number): SharedArrayBuffer {
  if (bytes > GROUP_BYTES) return new SharedArrayBuffer(bytes);
  return idle.pop() ?? new SharedArrayBuffer(GROUP_BYTES);
}
