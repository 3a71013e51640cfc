import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Failure } from '../../lib/failure.ts';
import type { Micros } from '../../lib/methodology/instant.ts';
import { makeWholeFolder } from '../whole-folder.ts';
import { runsOf } from './answers.ts';
import { brandOf } from './brands.ts';
import type { Brand } from './brands.ts';
import { WEEK, dateOf, eventsOf, storyOf, workspacesOf } from './story.ts';
import type { Sizes, Story } from './story.ts';

export interface DemoOptions extends Sizes {
  /** The folder to write; refused unless it is missing or empty. */
  to: string;
  asOf: Micros;
}

export interface DropFile {
  file: string;
  records: number;
  bytes: number;
}

/**
 * Writes a synthetic drop (docs/ingest.md): the same bytes for the same options. The folder appears whole, or not at all.
 * @param onBrand called after each brand.
 * @throws Failure when the folder is not empty, or cannot be written.
 */
export async function makeDemo(
  { to, asOf, ...sizes }: DemoOptions,
  onBrand: () => void = () => undefined,
): Promise<DropFile[]> {
  const { result } = await makeWholeFolder({
    to,
    purpose: 'demo',
    work: async (folder) => await writeDrop(folder, storyOf(sizes, Number(asOf / 1000n)), onBrand),
    judge: async (_unfinished, [present]) => {
      throw new Failure(`${resolve(to)} is not empty (it contains ${present}); choose another folder`);
    },
  });
  return result;
}

async function writeDrop(folder: string, story: Story, onBrand: () => void): Promise<DropFile[]> {
  await using drop = new Drop(folder);
  await drop.add('workspaces', workspacesOf(story));
  for (const kind of ['brands', 'competitors', 'prompts']) await drop.add(kind, []);
  await drop.add('events', eventsOf(story));
  for (let number = 0; number < story.brands; number++) {
    const brand = brandOf(number, story);
    for (const [kind, records] of Object.entries(trackedFrom(brand))) await drop.add(kind, records);
    for (const [week, runs] of runsOf(brand, story).entries())
      await drop.add(`runs-${dateOf(story.firstCycle + week * WEEK)}`, runs);
    onBrand();
  }
  return drop.files();
}

function trackedFrom({ rivals, prompts, ...brand }: Brand) {
  // As people enter it: a URL, a page of the site, a bare host.
  const [before, after] = [
    ['https://www.', '/'],
    ['https://', ''],
    ['www.', ''],
    ['', '/en/home'],
  ][brand.number % 4]!;
  return {
    brands: [
      {
        id: brand.id,
        workspace_id: brand.workspaceId,
        name: brand.name,
        domain: `${before}${brand.host}${after}`,
        created_at: new Date(brand.createdAt).toISOString(),
      },
    ],
    competitors: rivals
      .filter(({ id }) => id !== null)
      .map(({ id, name }) => ({ id, brand_id: brand.id, name })),
    prompts: prompts.map(({ id, text, isActive, createdAt, tags }) => ({
      id,
      brand_id: brand.id,
      text,
      is_active: isActive,
      created_at: new Date(createdAt).toISOString(),
      tags,
    })),
  };
}

/** The files of a drop while they are written, all of them open: at most 525, of 520 cycles. */
class Drop implements AsyncDisposable {
  readonly #written = new Map<string, DropFile & { handle: FileHandle }>();

  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async add(kind: string, records: readonly object[]): Promise<void> {
    const file = `${kind}.ndjson`;
    let written = this.#written.get(file);
    if (written === undefined) {
      written = { file, records: 0, bytes: 0, handle: await open(join(this.#folder, file), 'wx') };
      this.#written.set(file, written);
    }
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    const { bytesWritten } = await written.handle.write(text);
    written.records += records.length;
    written.bytes += bytesWritten;
  }

  files(): DropFile[] {
    return [...this.#written.values()].map(({ file, records, bytes }) => ({ file, records, bytes }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { handle } of this.#written.values()) await handle.close();
  }
}
