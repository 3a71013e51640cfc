import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { CHECKPOINT_KEY } from '../../../snapshots/layout.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { signedHead } from '../../../snapshots/log/notes/checkpoint.ts';
import { formatNote, formatVerifierKey, verifierKey } from '../../../snapshots/log/notes/note.ts';
import { proveSnapshot } from '../../../snapshots/log/prove.ts';
import { readCheckpoint, readEntries } from '../../../snapshots/log/read.ts';
import { rootOfEdge } from '../../../snapshots/log/tree/edge.ts';
import { emptyLogEdge, growLog } from '../../../snapshots/log/write/grow.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWith } from '../../support/requires.ts';
import { workspaceIds } from '../history.ts';
import { publishWeek, testLog } from '../publish.ts';
import type { TestLog } from '../publish.ts';

const run = promisify(execFile);
const source = fileURLToPath(new URL('./verifier.go', import.meta.url));
/** Of Debian, with golang.org/x/mod. */
const PACKAGES = '/usr/share/gocode';
/** Kept: Go's own library takes longer to build than the verifier to run. */
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/go');

/** A log of 70,000 entries has three levels of tiles. */
const ENTRIES = 70_000;

describeWith(['go'], 'a third-party verifier, from golang.org/x/mod', () => {
  test('reads checkpoint, tiles, entries and proofs, and finds an altered byte', async () => {
    const folder = await temporaryFolder();
    const log = await testLog(folder);
    const { store, origin, signer } = log;
    await publishWeek(log, workspaceIds[0], '2026-11-16');
    await growTo(log, ENTRIES);
    const view = (await readLog(store, log))!;
    const history = (await readHistory(store, view, workspaceIds[0]))!;
    const { inclusionProof } = await proveSnapshot(
      store,
      view.checkpoint,
      workspaceIds[0],
      history.publications[0]!,
    );
    const proof = join(folder, 'snapshot.tlog-proof');
    await writeFile(proof, inclusionProof);

    const program = await build(folder);
    const vkey = formatVerifierKey(verifierKey(origin, signer.publicKey));
    const args = [join(folder, 'store'), vkey, proof];
    expect((await run(program, args)).stdout).toBe('70000 entries, proof and checkpoint hold\n');

    const tile = join(folder, 'store/log/tile/0/100');
    const bytes = await readFile(tile);
    bytes[40] = bytes[40]! ^ 1;
    await writeFile(tile, bytes);
    await expect(run(program, args)).rejects.toThrow(/downloaded inconsistent tile|does not have the hash/);
  });
});

/** Repeats the last entry, which names the heads, as a log of many commits has it. */
async function growTo({ store, origin, signer }: TestLog, size: number): Promise<void> {
  const checkpoint = (await readCheckpoint(store))!;
  const entries = (await Array.fromAsync(readEntries(store, checkpoint.size))).map(({ bytes }) => bytes);
  const all = Array.from({ length: size }, (_, index) => entries[index] ?? entries.at(-1)!);
  const { edge, objects } = growLog(emptyLogEdge, all);
  await store.createMany(objects);
  const { note } = signedHead({ origin, size, root: rootOfEdge(edge) }, [signer]);
  await store.swap(CHECKPOINT_KEY, Buffer.from(formatNote(note)), checkpoint.version);
}

async function build(folder: string): Promise<string> {
  const program = join(folder, 'verifier');
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: PACKAGES, GOCACHE: CACHE };
  await run('go', ['build', '-o', program, source], { env });
  return program;
}
