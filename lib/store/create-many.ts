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
  const writer = (thread ??= startThread(new URL('file-batch.worker.ts', import.meta.url), {
    onEnd: () => (thread = null),
  }));
  const batch = ++batches;
  try {
    for await (const group of groupsOf(entries)) {
      const memory = takeMemory(group);
      await writer.ask({ batch, step: 'write', files: copyTo(memory, group, fileOf), memory });
      if (memory.byteLength === GROUP_BYTES) idle.push(memory);
    }
    await syncTogether((await writer.ask({ batch, step: 'written' })) as string[]);
    const { created, folders } = (await writer.ask({ batch, step: 'name' })) as NamedFiles;
    await syncTogether(folders);
    return created;
  } catch (error) {
    await writer.ask({ batch, step: 'discard' }).catch(() => undefined); // the first error is the one to tell
    throw error;
  }
}

/** Begun when it is first needed, because a gateway only reads, and anew after it has failed. */
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

/** Copies the bytes of all entries, one after the other. @returns what is where */
function copyTo(memory: SharedArrayBuffer, group: readonly Entry[], fileOf: (key: string) => string) {
  const copied = new Uint8Array(memory);
  let offset = 0;
  return group.map(({ key, bytes }) => {
    copied.set(bytes, offset);
    offset += bytes.length;
    return { file: fileOf(key), bytes: bytes.length };
  });
}

/** Shared with the thread and used again: new memory for every group costs as much as to fill it. */
const idle: SharedArrayBuffer[] = [];

function takeMemory(group: readonly Entry[]): SharedArrayBuffer {
  const bytes = group.reduce((sum, entry) => sum + entry.bytes.length, 0);
  if (bytes > GROUP_BYTES) return new SharedArrayBuffer(bytes);
  return idle.pop() ?? new SharedArrayBuffer(GROUP_BYTES);
}
