import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dropSchemas } from './drop-schema.ts';
import type { DropRecords } from './drop-schema.ts';

/** All records of a drop in NDJSON, each held against its schema. */
export async function readDrop(folder: string): Promise<DropRecords> {
  const records: Record<string, unknown[]> = {
    workspaces: [],
    brands: [],
    competitors: [],
    prompts: [],
    events: [],
    runs: [],
  };
  for (const file of (await readdir(folder)).toSorted()) {
    const kind = /^[a-z]+/.exec(file)![0] as keyof DropRecords;
    const text = await readFile(join(folder, file), 'utf8');
    if (!text.endsWith('\n')) throw new Error(`${file} does not end with a newline`);
    for (const line of text.slice(0, -1).split('\n')) {
      records[kind]!.push(dropSchemas[kind].parse(JSON.parse(line)));
    }
  }
  return records as unknown as DropRecords;
}

/** The names and the bytes of a folder's files. */
export async function bytesOf(folder: string): Promise<[string, Buffer][]> {
  const files = (await readdir(folder)).toSorted();
  return await Promise.all(
    files.map(async (file): Promise<[string, Buffer]> => [file, await readFile(join(folder, file))]),
  );
}
