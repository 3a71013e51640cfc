/**
 * What failed: the given key, the signature over the head of the log, the snapshot's ids, the document, or the proof that
 * the log contains the snapshot.
 */
export type VerificationFault = 'public_key' | 'signature' | 'snapshot' | 'document' | 'log';

/** The verification failed. Branch on `code`; the message is for people. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  readonly code: VerificationFault;

  constructor(code: VerificationFault, message: string) {
    super(message);
    this.code = code;
  }
}

/** @throws VerificationError unless it is so. */
export function demand(isSo: boolean, code: VerificationFault, otherwise: string): asserts isSo {
  if (!isSo) throw new VerificationError(code, otherwise);
}

/** The place of a snapshot in the log, and the head of the log that contains it. */
export interface LogPosition {
  /** The name of the log. */
  origin: string;
  /** 0 for the first entry. */
  index: number;
  /** The number of entries of the log. */
  size: number;
  /** The root hash of these entries, in base64: compare it with other clients of the log. */
  rootHash: string;
}

/** The `data` of a proof (lib/history/schemas.ts), without a library that a client would have to install. */
export interface SnapshotProof {
  manifest: string;
  entry: string;
  inclusionProof: string;
  checkpoint: string;
}
