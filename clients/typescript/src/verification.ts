/** What does not fit: the key that was given, the signature, the snapshot's ids, the document, or the log. */
export type VerificationFault = 'public_key' | 'signature' | 'snapshot' | 'document' | 'log';

/** Nothing is proved. Branch on `code`; the message is for people. */
export class VerificationError extends Error {
  readonly code: VerificationFault;

  constructor(code: VerificationFault, message: string) {
    super(message);
    this.name = 'VerificationError';
    this.code = code;
  }
}

/** Where the log has a snapshot, and the head of the log that shows it. */
export interface LogPosition {
  /** The name of the log. */
  origin: string;
  /** 0 for the first entry. */
  index: number;
  /** How many entries the log had. */
  size: number;
  /** The root of that many entries, in base64: compare it with other clients of the log. */
  rootHash: string;
}
