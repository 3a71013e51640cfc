import { mkdir, writeFile } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { goldenFolders, goldenPath } from '../golden/cases.ts';
import type { Delivery } from '../reference/drop.ts';
import { trackingKinds } from '../reference/drop.ts';
import { seededRandom } from '../support/random.ts';
import type { Random } from '../support/random.ts';

type Fields = Record<string, unknown>;

/** What a field may be, if it is not the value of another record. */
const values = (
  [
    [null, true, false, 0, 1, -1, 1.5, '', ' \u0085', [], {}, [null], [{}], ['x'], '1', 'brand', 'failed'],
    ['2026-02-29', '2026-02-28', '2026-11-17', '2026-11-09T06:00:60Z', '2026-11-09T24:00:00Z'],
    ['2026-11-16T06:00:00.0000009Z', '2026-11-16T06:00:00.000001Z', '2026-11-02T07:30:00.001+01:30'],
    ['2026-11-09t06:00:00z', '2026-11-09T06:00Z', '2026-11-15T20:00:00-10:00', '2026-11-09 06:00:00Z'],
    ['Acme', ' acme\t', 'Ac\u00a0\u2003me', 'Cafe\u0301', 'İstanbul', 'ΣΊΣΥΦΟΣ', '\ufeff', 'ẛ̣', '🚀'],
    ['a\u0000b', '"quoted\\"', "it's; drop table run --", 'Is Acme good?', 'xAcme', 'x'.repeat(101)],
    ['//a@b@acme.example', 'www..', '[::1', 'https://[2001:DB8::1]:80/', 'HTTP://münchen.example', 'a%20b'],
    ['acme.example:', ' MailTo:a@b.example', 'ftp://x.example/', 'https://a b.example/', 'https://x/"q"\\'],
  ] as unknown[][]
).flat();

/** Lines that are no record whatever their kind, and some that are none at all. */
const noise = ['', ' \t', '\r', '{', '[]', 'null', '{"id":NaN}', '{}', '{"a":1,}', '\ufeff{}', '"x"']
  .map((line) => Buffer.from(line))
  .concat(Buffer.from('7b226964223a22ff227d', 'hex'));

const spellings = [
  (record: Fields) => ` ${JSON.stringify(record, null, 1).replaceAll('\n', ' ')}\r`,
  (record: Fields) =>
    JSON.stringify({
      unknown: { a: [1.0, 'x,]'] },
      ...Object.fromEntries(Object.entries(record).toReversed()),
    }).replaceAll(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  (record: Fields) => `${JSON.stringify(record).slice(0, -1)},}`,
];

/** The records of golden cases, by kind. */
function recordsOf(names: readonly string[]): Record<string, Fields[]> {
  const records: Record<string, Fields[]> = {};
  for (const name of names)
    for (const file of readdirSync(goldenPath(name, 'drop'))) {
      const bytes = readFileSync(goldenPath(name, `drop/${file}`));
      const lines = String(file.endsWith('.gz') ? gunzipSync(bytes) : bytes).split('\n');
      const own = lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Fields);
      (records[/^[a-z]+/.exec(file)![0]] ??= []).push(...own);
    }
  return records;
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** One to four deliveries of the records of some golden cases, many of them changed: the same ones for the same seed. */
export class RandomDrops {
  private readonly random: Random;
  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  private readonly chance = (share: number) => this.random() < share;
  private readonly pick = <T>(from: readonly T[]): T => from[Math.floor(this.random() * from.length)]!;

  /** A field, at any depth, gone, or with the value of another record, or with any. */
  private damaged(record: Fields, others: readonly Fields[]): Fields {
    const copy = structuredClone(record);
    if (this.chance(0.4)) {
      const key = this.pick(Object.keys(copy));
      return { ...copy, [key]: this.pick(others)[key] };
    }
    const lists = Object.values(copy).filter((each) => Array.isArray(each));
    const holders = [copy, ...lists.flatMap((list) => [list, ...list.filter(isObject)] as Fields[])];
    const places = holders.flatMap((holder) => Object.keys(holder).map((key) => ({ holder, key })));
    const { holder, key } = this.pick(places);
    if (this.chance(0.2)) delete holder[key];
    else holder[key] = this.pick(values);
    return copy;
  }

  /** The lines of a record: as it is in most cases, or damaged, or twice, or next to noise. */
  private linesOf(record: Fields, others: readonly Fields[]): Buffer[] {
    const spelled = (each: Fields) =>
      Buffer.from(this.chance(0.2) ? this.pick(spellings)(each) : JSON.stringify(each));
    const lines = [spelled(this.chance(0.05) ? this.damaged(record, others) : record)];
    if (this.chance(0.05)) lines.push(spelled(record));
    if (this.chance(0.05)) lines.push(spelled(this.damaged(record, others)));
    if (this.chance(0.02)) lines.push(this.pick(noise));
    return lines;
  }

  private fileOf(records: readonly Fields[], others: readonly Fields[]): Buffer {
    const lines = records.flatMap((record) => this.linesOf(record, others));
    const body = lines.flatMap((line, index) => (index === 0 ? [line] : [Buffer.from('\n'), line]));
    const mark = Buffer.from(this.chance(0.2) ? '\ufeff' : '');
    return Buffer.concat([mark, ...body, Buffer.from(this.chance(0.5) ? '\n' : '')]);
  }

  /** Writes the drops below a folder. Of the first one all is taken, or there might be nothing to publish. */
  async write(below: string): Promise<Delivery[]> {
    const records = recordsOf([
      'small',
      ...goldenFolders.filter((name) => name !== 'small' && this.chance(0.15)),
    ]);
    const count = this.pick([1, 2, 3]);
    const deliveries: Delivery[] = [];
    for (let at = 0; at < count; at += 1) {
      const folder = join(below, `drop-${at}`);
      await mkdir(folder, { recursive: true });
      const isFirst = at === 0;
      const own = (kind: string, share: number) => (records[kind] ?? []).filter(() => this.chance(share));
      const files = trackingKinds
        .filter((kind) => (isFirst ? records[kind] !== undefined : this.chance(0.4)))
        .map((kind) => [kind, own(kind, 0.95), kind] as const);
      const runs = ['runs', 'runs-late', 'runs_ümlaut'].slice(0, this.pick([1, 2, 3]));
      for (const [name, some, kind] of [
        ...files,
        ...runs.map((each) => [each, own('runs', 0.5), 'runs'] as const),
      ]) {
        const bytes = this.fileOf(some, records[kind] ?? []);
        const isZipped = this.chance(0.5);
        const path = join(folder, `${name}.ndjson${isZipped ? '.gz' : ''}`);
        await writeFile(path, isZipped ? gzipSync(bytes) : bytes);
      }
      const date = this.pick(['2026-11-10', '2026-11-15', '2026-11-16', ...(isFirst ? [] : ['2026-11-17'])]);
      const rules = {
        partialTracking: isFirst || this.chance(0.5),
        emptyTracking: isFirst || this.chance(0.5),
      };
      deliveries.push({ folder, date, ...rules });
    }
    // The same files again.
    if (count > 1 && this.chance(0.3)) deliveries.push({ ...deliveries[0]!, date: deliveries[1]!.date });
    return deliveries;
  }
}
