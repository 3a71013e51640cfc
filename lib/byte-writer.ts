/**
 * Puts text and bytes together in memory that is used again: for documents of thousands of pieces that recur, half the
 * time of joining texts and encoding the whole.
 */
export interface ByteWriter {
  add(bytes: Uint8Array): void;
  addText(text: string): void;
  /** A copy of what was added since the last time, in memory of its own. */
  take(): Uint8Array<ArrayBuffer>;
}

const FIRST_BYTES = 1 << 16;
/** UTF-8 has at most so many bytes for a UTF-16 code unit. */
const BYTES_PER_UNIT = 3;

export function byteWriter(): ByteWriter {
  let buffer = new Uint8Array(FIRST_BYTES);
  let length = 0;
  const encoder = new TextEncoder();
  const makeRoom = (bytes: number): void => {
    if (length + bytes <= buffer.length) return;
    const larger = new Uint8Array(Math.max(2 * buffer.length, length + bytes));
    larger.set(buffer.subarray(0, length));
    buffer = larger;
  };
  return {
    add(bytes) {
      makeRoom(bytes.length);
      buffer.set(bytes, length);
      length += bytes.length;
    },
    addText(text) {
      makeRoom(BYTES_PER_UNIT * text.length);
      length += encoder.encodeInto(text, buffer.subarray(length)).written;
    },
    take() {
      const taken = buffer.slice(0, length);
      length = 0;
      return taken;
    },
  };
}
