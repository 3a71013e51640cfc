import { execFile } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { appendToLog } from '../../../snapshots/log/append.ts';
import {
  ED25519,
  formatVerifierKey,
  parseVerifierKey,
  verifierKey,
} from '../../../snapshots/log/notes/note.ts';
import { proveSnapshot } from '../../../snapshots/log/prove.ts';
import { readCheckpoint } from '../../../snapshots/log/read.ts';
import { collectCosignatures } from '../../../snapshots/log/witness/cosignatures.ts';
import { describeWith } from '../../support/requires.ts';
import { startWitness } from '../../support/witness.ts';
import { makeTestKeys } from '../history.ts';
import { ORIGIN, entryOf, makePlace } from './histories.ts';

const run = promisify(execFile);
const source = fileURLToPath(new URL('./verifier.go', import.meta.url));
/** The path of Debian's package of golang.org/x/mod. */
const X_MOD = '/usr/share/gocode/src/golang.org/x/mod';

/** A log of 70,000 entries has three levels of tiles. */
const WEEKS = [52, 69_948];

describeWith(['go'], 'a third-party verifier, from golang.org/x/mod', () => {
  test('reads checkpoint, tiles, entries, proofs and cosignatures, and finds an altered byte', async () => {
    const { folder, store, keys, appending } = await makePlace();
    const { signer } = await makeTestKeys(folder, 'witness');
    const log = { origin: ORIGIN, publicKey: keys.signer.publicKey };
    const witness = await startWitness('witness.example/w1', signer, log);
    onTestFinished(() => witness.close());
    for (const weeks of [[30, 40_000], WEEKS]) await appendToLog(appending(weeks));
    await collectCosignatures(store, [{ url: witness.url, key: parseVerifierKey(witness.vkey) }]);
    const proof = join(folder, 'snapshot.tlog-proof');
    await writeFile(proof, (await proveSnapshot(store, (await readCheckpoint(store))!, entryOf(0, 17)))!);

    const program = await build(folder);
    const vkey = formatVerifierKey(verifierKey(ORIGIN, ED25519, keys.signer.publicKey));
    const args = [join(folder, 'store'), vkey, proof, witness.vkey];
    expect((await run(program, args)).stdout).toBe('70000 entries, proof and checkpoint hold\n');

    const tile = join(folder, 'store/log/tile/0/100');
    const bytes = await readFile(tile);
    bytes[40] = bytes[40]! ^ 1;
    await writeFile(tile, bytes);
    await expect(run(program, args)).rejects.toThrow(/downloaded inconsistent tile|does not have the hash/);
  });
});

async function build(folder: string): Promise<string> {
  const program = join(folder, 'verifier');
  const module = join(folder, 'module');
  await run('mkdir', ['-p', module]);
  await copyFile(source, join(module, 'main.go'));
  const requirement = 'require golang.org/x/mod v0.7.0';
  const replacement = `replace golang.org/x/mod => ${X_MOD}`;
  await writeFile(join(module, 'go.mod'), `module verifier\n\ngo 1.19\n\n${requirement}\n\n${replacement}\n`);
  const env = {
    ...process.env,
    GOFLAGS: '-mod=mod',
    GOPROXY: 'off',
    GOCACHE: join(folder, 'cache'),
    GOPATH: join(folder, 'go'),
  };
  await run('go', ['build', '-o', program, '.'], { cwd: module, env });
  return program;
}
