import type { Manifest } from '../../snapshots/manifest.ts';

/** A document of a snapshot: its path and the SHA-256 of its bytes. */
export type DocumentEntry = Pick<Manifest['documents'][number], 'path' | 'sha256'>;

/** The documents of one snapshot. By folder and file: a map of all paths takes 35 KB for 30 brands, this one 21 KB. */
export class DocumentIndex {
  /** The number of documents. */
  readonly size: number;
  readonly #folders = new Map<string, Record<string, string>>();

  constructor(documents: readonly DocumentEntry[]) {
    this.size = documents.length;
    for (const { path, sha256 } of documents) {
      const [folder, file] = split(path);
      const hashes = this.#folders.get(folder) ?? {};
      this.#folders.set(folder, hashes);
      hashes[file] = sha256;
    }
  }

  get(path: string): DocumentEntry | undefined {
    const [folder, file] = split(path);
    const hashes = this.#folders.get(folder);
    if (hashes === undefined || !Object.hasOwn(hashes, file)) return undefined;
    return { path, sha256: hashes[file]! };
  }

  *entries(): Generator<DocumentEntry> {
    for (const [folder, hashes] of this.#folders)
      for (const [file, sha256] of Object.entries(hashes)) yield { path: folder + file, sha256 };
  }
}

function split(path: string): [folder: string, file: string] {
  const end = path.lastIndexOf('/') + 1;
  return [path.slice(0, end), path.slice(end)];
}
