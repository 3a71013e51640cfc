import { createReadStream } from 'node:fs';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The lines of a rejects file whose record has none of the ids (in lower case), each with its end. */
export async function* linesWithout(path: string, ids: ReadonlySet<string>): AsyncGenerator<string> {
  for await (const line of linesOf(path)) {
    const { record, record_base64: base64 } = JSON.parse(line) as Record<string, string | null | undefined>;
    const decoded = Buffer.from(base64 ?? '', 'base64').toString('latin1');
    const text = [record, decoded].join(' ').toLowerCase();
    if (!text.matchAll(UUID).some(([id]) => ids.has(id))) yield `${line}\n`;
  }
}

/** Node's readline would also split at U+2028, which a record may have. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  // A line may have 43 MiB.
  const text = createReadStream(path, { encoding: 'utf8', highWaterMark: 4 << 20 });
  for await (const part of text as AsyncIterable<string>) {
    const lines = (rest + part).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
}
