import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDatabase, rowsOf, textList } from '../../jobs/duckdb.ts';
import { makeTables } from '../../jobs/ingest/tables.ts';
import { parseInstant } from '../../lib/methodology/instant.ts';
import { temporaryFolder } from '../support/folder.ts';

async function asked<Row>(sql: string, texts: readonly string[]): Promise<Row[]> {
  const database = await openDatabase({ scratch: await temporaryFolder() });
  try {
    const connection = await database.connect();
    await makeTables(connection);
    return await rowsOf<Row>(connection, sql, { texts: textList(texts) });
  } finally {
    database.close();
  }
}

const samples = <T>(arbitrary: fc.Arbitrary<T>): T[] => fc.sample(arbitrary, { numRuns: 4000, seed: 20 });

/** Made of what decides, so that many are plain and many are nearly. */
const urls = fc
  .tuple(
    fc.constantFrom('https://', 'https://', 'http://', 'HTTP://', '//', ' https://', ''),
    fc.array(
      fc.constantFrom('www.', 'a', 'a-b', '.', 'example', '.com', '/', '?', ':8', '@', 'É', ' ', '\n', 'A'),
      { maxLength: 6 },
    ),
  )
  .map(([scheme, pieces]) => scheme + pieces.join(''));

test('a host that is read the short way is the one that is read the long way', async () => {
  const rows = await asked<{ url: string; plain: string; host: string | null }>(
    'select url, plain_host(url) as plain, host_of(url) as host from (select unnest($texts) as url) where plain_host(url) is not null',
    samples(urls),
  );
  expect(rows.length).toBeGreaterThan(100);
  for (const { url, plain, host } of rows) expect([url, plain]).toEqual([url, host]);
});

const digits = (low: number, high: number, width: number) =>
  fc.integer({ min: low, max: high }).map((n) => String(n).padStart(width, '0'));
const instants = fc
  .tuple(
    fc.tuple(fc.constantFrom('2026', '2024', '0001', '9999', '0000'), digits(0, 13, 2), digits(0, 32, 2)),
    fc.constantFrom('T', 'T', 'T', 't', ' '),
    fc.tuple(digits(0, 24, 2), digits(0, 60, 2), digits(0, 60, 2)),
    fc.constantFrom('', '', '.5', '.123456', '.1234567', '.123456789', '.1234567890', '.'),
    fc.constantFrom('Z', 'Z', 'z', '+01:30', '-23:59', '+24:00', '+0100', ''),
  )
  .map(
    ([date, mark, time, decimals, offset]) => `${date.join('-')}${mark}${time.join(':')}${decimals}${offset}`,
  );

test('an instant of a record is read like one of a command line', async () => {
  const rows = await asked<{ text: string; micros: bigint | null }>(
    'select text, epoch_us(instant_of(text)) as micros from (select unnest($texts) as text)',
    samples(instants),
  );
  expect(rows.filter(({ micros }) => micros !== null).length).toBeGreaterThan(300);
  for (const { text, micros } of rows) expect([text, micros]).toEqual([text, parseInstant(text)]);
});
