import { workerData } from 'node:worker_threads';
import { answerInTurn } from '../../lib/thread.ts';
import { openNames } from './facts/names.ts';
import type { NamesSources } from './facts/names.ts';
import { stabilityDocument } from './stability.ts';
import type { StabilityRows } from './stability.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export interface Question {
  brandId: string;
  /**
   * The {@link StabilityRows} that its document is made from, as JSON: objects are copied between threads property by
   * property. Null: only the brand's names for the base are wanted.
   */
  rows: string | null;
}

export interface Answer {
  document: Bytes | null;
  packed: Bytes | null;
}

const namesOf = openNames(workerData as NamesSources);

answerInTurn(
  ({ brandId, rows }: Question): Answer => {
    const merged = namesOf(brandId);
    const document =
      rows === null ? null : stabilityDocument(JSON.parse(rows) as StabilityRows, merged?.names ?? null);
    return { document, packed: merged?.packed ?? null };
  },
  ({ document, packed }) => [document, packed].flatMap((bytes) => (bytes === null ? [] : [bytes.buffer])),
);
