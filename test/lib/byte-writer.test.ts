import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteWriter } from '../../lib/byte-writer.ts';

test('what was added comes out in its order, however long, and nothing of what came out before', () => {
  const writer = byteWriter();
  const piece = fc.string({ unit: 'binary', maxLength: 30_000 });
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, fc.boolean()), { maxLength: 8 }), (pieces) => {
      for (const [text, asBytes] of pieces) {
        if (asBytes) writer.add(Buffer.from(text));
        else writer.addText(text);
      }
      const taken = writer.take();
      expect(Buffer.from(taken).equals(Buffer.from(pieces.map(([text]) => text).join('')))).toBe(true);
      expect(taken.buffer.byteLength).toBe(taken.length);
    }),
    { numRuns: 60 },
  );
});
