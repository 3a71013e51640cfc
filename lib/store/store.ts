/** What a key holds. `version` is opaque: it names these bytes for {@link ObjectStore.swap}. */
export interface StoredObject {
  bytes: Buffer;
  version: string;
}

export interface ObjectInfo {
  key: string;
  bytes: number;
}

export interface Entry {
  key: string;
  bytes: Uint8Array;
}

/** Read once, and only as fast as they are written. */
export type Entries = Iterable<Entry> | AsyncIterable<Entry>;

/**
 * Named, immutable bytes: a folder or an S3 bucket. Keys are relative, `/`-separated and never start with a dot.
 * A missing object is `null` or `false`; everything else that goes wrong throws with its `cause`.
 * Whatever the method, a reader sees the old bytes or the new ones, whole.
 */
export interface ObjectStore {
  /** For messages: a path, or `s3://bucket/prefix`. */
  readonly url: string;
  get(key: string): Promise<StoredObject | null>;
  /** Size and SHA-256 without handing over the bytes, where that is cheaper than {@link ObjectStore.get}. */
  hash?(key: string): { bytes: number; sha256: string } | null;
  /** Create once: false, and nothing written, where the key already holds something. Durable on return. */
  create(key: string, bytes: Uint8Array): Promise<boolean>;
  /**
   * Create once for each of many, which costs far less than one by one; all durable on return.
   * @returns for each entry, in their order, whether it was created. Where it throws, some may have been.
   */
  createMany(entries: Entries): Promise<boolean[]>;
  /** Create once from a local file, without holding it in memory. */
  createFromFile(key: string, path: string): Promise<boolean>;
  /** Compare and swap: writes only if the key holds `expected` (null: holds nothing). False otherwise. */
  swap(key: string, bytes: Uint8Array, expected: string | null): Promise<boolean>;
  /** All keys under a prefix that ends in `/` (or is empty), in the order of code points. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** The names of the folders directly under a prefix that ends in `/` (or is empty), in order. */
  folders(prefix: string): Promise<string[]>;
  /** A local file with the object's bytes: the object itself, or a copy below `scratch`. Null when missing. */
  localFile(key: string, scratch: string): Promise<string | null>;
  /** Removing what is not there is no error. */
  delete(key: string): Promise<void>;
  /** @throws Failure where the store itself is not there or does not answer; an empty store is fine. */
  check(): Promise<void>;
  close(): void;
}
