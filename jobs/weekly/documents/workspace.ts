import { encodeDocument } from '../../../lib/documents/encode.ts';
import type { BrandInWeek } from '../../../lib/documents/week.ts';
import { brandInWeek } from '../../../lib/methodology/week.ts';
import type { WeekSources } from '../../../lib/methodology/week.ts';
import { formatInstant } from '../../../lib/methodology/instant.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import { encodeRows, encodeTable } from '../../../lib/tables/encode.ts';
import { apiTables } from '../../../lib/tables/names.ts';
import type { BrandInSnapshot } from '../../../lib/tables/table.ts';
import { tables } from '../../../lib/tables/tables.ts';
import { documentAt, tablePath, WEEK_PATH } from '../../../snapshots/layout.ts';
import type { PublishedDocument } from '../../../snapshots/publish/write-snapshot.ts';

/** Makes the week and the tables of a workspace from the documents of its brands, which are added one after the other. */
export class WorkspaceDocuments {
  readonly #asOf: Micros;
  readonly #brands: BrandInWeek[] = [];
  readonly #rows = new Map(apiTables.map((table) => [table, [] as Buffer[]]));

  constructor(asOf: Micros) {
    this.#asOf = asOf;
  }

  /** Returns how many bytes the tables grew by. */
  add(given: BrandInSnapshot & { documents: WeekSources }): number {
    this.#brands.push(brandInWeek(given.documents));
    let bytes = 0;
    for (const [table, rows] of this.#rows) {
      const encoded = encodeRows(table, given);
      rows.push(encoded);
      bytes += encoded.length;
    }
    return bytes;
  }

  /** @throws Failure that names what is unsound */
  documents(): PublishedDocument[] {
    const week = { asOf: formatInstant(this.#asOf), brands: this.#brands };
    const ofTables = [...this.#rows].map(([table, rows]) => ({
      path: tablePath(table),
      bytes: encodeTable(table, rows),
    }));
    return [{ path: WEEK_PATH, bytes: encodeDocument('week', week) }, ...ofTables];
  }
}

/** Not stability, which is nine tenths of all bytes. */
const READ = new Set<string>(['results', ...apiTables.flatMap((table) => tables[table].from)]);

/** The `data` of the documents of a brand that the week and the tables are made from. */
export function readForWorkspace(
  documents: readonly PublishedDocument[],
): BrandInSnapshot['documents'] & WeekSources {
  const read = documents.flatMap(({ path, bytes }) => {
    const { name } = documentAt(path);
    if (!READ.has(name)) return [];
    return [[name, (JSON.parse(bytes.toString()) as { data: unknown }).data] as const];
  });
  return Object.fromEntries(read) as WeekSources;
}
