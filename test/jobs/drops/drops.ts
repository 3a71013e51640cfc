import * as fc from 'fast-check';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Delivery } from '../../reference/drop.ts';
import { linesOfKind } from './lines.ts';

/** A drop as bytes: its files by name, and the date of its tracking set. */
export interface Drop {
  date: string;
  files: Record<string, Buffer>;
  partialTracking: boolean;
  emptyTracking: boolean;
}

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

function fileOf(lines: fc.Arbitrary<Buffer[]>): fc.Arbitrary<Buffer> {
  return fc.tuple(lines, fc.boolean(), fc.boolean()).map(([all, marked, ended]) => {
    const body = all.flatMap((line, index) => (index === 0 ? [line] : [Buffer.from('\n'), line]));
    return Buffer.concat([...(marked ? [MARK] : []), ...body, Buffer.from(ended ? '\n' : '')]);
  });
}

const tracking = {
  workspaces: fileOf(linesOfKind.workspaces),
  brands: fileOf(linesOfKind.brands),
  competitors: fileOf(linesOfKind.competitors),
  prompts: fileOf(linesOfKind.prompts),
  events: fileOf(linesOfKind.events),
};
const runFile = fileOf(linesOfKind.runs);

const drop = (isFirst: boolean) =>
  fc
    .record({
      date: fc.constantFrom('2026-11-10', '2026-11-15', '2026-11-16', ...(isFirst ? [] : ['2026-11-17'])),
      tracking: fc.record(tracking, isFirst ? {} : { requiredKeys: [] }),
      runs: fc.array(runFile, { maxLength: 3 }),
      zipped: fc.integer({ min: 0, max: 255 }),
      // Of the first one all is taken, or there might be nothing to publish.
      partialTracking: isFirst ? fc.constant(true) : fc.boolean(),
      emptyTracking: isFirst ? fc.constant(true) : fc.boolean(),
    })
    .map(({ date, tracking: sets, runs, zipped, ...rules }): Drop => {
      const names = ['runs', 'runs-late', 'runs_ümlaut'];
      const files = [
        ...Object.entries(sets).map(([kind, bytes]): [string, Buffer] => [kind, bytes]),
        ...runs.map((bytes, index): [string, Buffer] => [names[index]!, bytes]),
      ].map(([stem, bytes], index): [string, Buffer] =>
        (zipped >> index) % 2 === 0 ? [`${stem}.ndjson`, bytes] : [`${stem}.ndjson.gz`, gzipSync(bytes)],
      );
      return { date, files: Object.fromEntries(files), ...rules };
    })
    .filter(({ files }) => Object.keys(files).length > 0);

/** One to three deliveries; a later one may repeat a file of an earlier one. */
export const drops: fc.Arbitrary<Drop[]> = fc
  .tuple(drop(true), fc.array(drop(false), { maxLength: 2 }), fc.boolean())
  .map(([first, more, again]) => {
    const repeated = again && more.length > 0 ? { ...first, date: more[0]!.date } : null;
    return [first, ...more, ...(repeated === null ? [] : [repeated])];
  });

/** Writes drops below a folder of the test's own. */
export async function writeDrops(all: readonly Drop[], below: string): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for (const [index, { files, ...rules }] of all.entries()) {
    const folder = join(below, `drop-${index}`);
    await mkdir(folder, { recursive: true });
    for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
    deliveries.push({ folder, ...rules });
  }
  return deliveries;
}
