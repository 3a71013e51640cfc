import { Failure } from '../failure.ts';

/** An object. `version` is opaque; it identifies these bytes for {@link ObjectStore.swap}. */
export interface StoredObject {
  bytes: Buffer;
  version: string;
}

export interface ObjectInfo {
  key: string;
  bytes: number;
  /** When it was written, in milliseconds since the Unix epoch, by the clock of the server or of the disk's machine. */
  modifiedAt: number;
}

export interface Entry {
  key: string;
  bytes: Uint8Array;
}

/** Iterated once, and only as fast as the entries are written. */
export type Entries = Iterable<Entry> | AsyncIterable<Entry>;

/**
 * Named, immutable bytes: a folder or an S3 bucket. Keys are relative, `/`-separated and never start with a dot.
 * A missing object is `null` or `false`; every other error is thrown as a Failure with its `cause`.
 * A reader always sees the old bytes or the new ones, never a part of them.
 */
export interface ObjectStore {
  /** For messages: a path, or `s3://bucket/prefix`. */
  readonly url: string;
  /** @throws Failure if it has more than `mostBytes`: before a hash is known, only the size shows that it was altered. */
  get(key: string, mostBytes?: number): Promise<StoredObject | null>;
  /** Size and SHA-256 of what {@link ObjectStore.get} returns; present only if this is cheaper. */
  hash?(key: string, mostBytes: number): { bytes: number; sha256: string } | null;
  /** Create once: returns false and writes nothing if the key exists. Durable on return. */
  create(key: string, bytes: Uint8Array): Promise<boolean>;
  /**
   * Create once for each of many, which costs far less than one by one; all durable on return.
   * @returns for each entry, in order, whether it was created. If it throws, some may have been created.
   */
  createMany(entries: Entries): Promise<boolean[]>;
  /** Create once from a local file, without loading a large file into memory. */
  createFromFile(key: string, path: string): Promise<boolean>;
  /** Compare and swap: writes only if the key has the version `expected` (null: no object); returns false otherwise. */
  swap(key: string, bytes: Uint8Array, expected: string | null): Promise<boolean>;
  /** All keys under a prefix that ends in `/` (or is empty), by code point. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** The names of the folders directly under a prefix that ends in `/` (or is empty), in order. */
  folders(prefix: string): Promise<string[]>;
  /**
   * The path of a local file with the object's bytes: the object itself, or a copy below `scratch`. Null if missing.
   */
  localFile(key: string, scratch: string): Promise<string | null>;
  /** Deleting a missing object is not an error. */
  delete(key: string): Promise<void>;
  /** @throws Failure if the store does not exist or does not respond; an empty store is fine. */
  check(): Promise<void>;
  /**
   * Tries both conditional writes on a probe object, which stays. Absent if there is no server.
   * @throws Failure if the server ignores them.
   */
  probe?(): Promise<void>;
  /**
   * The clock of the server, to the second, in milliseconds since the Unix epoch; null if it sends none. Absent if there
   * is no server: then the clock is this machine's.
   */
  time?(): Promise<number | null>;
  close(): void;
}

/** The error of {@link ObjectStore.get} if an object has more bytes than the caller expects at most. */
export function tooLarge(url: string, mostBytes: number): Failure {
  return new Failure(`${url} has more than ${mostBytes} bytes: it was altered`);
}
