/**
 * Reads a document of a past week and proves offline that it was published then. Needs Node 24 or newer.
 *
 *     SIGHTLINE_URL=… SIGHTLINE_API_KEY=… node prove.ts SNAPSHOT brands/BRAND/visibility PUBLIC_KEY.pem
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';

interface Proof {
  manifest: string;
  signature: string | null;
  publicKeyFingerprint: string | null;
  inclusionProof: string | null;
}

interface Manifest {
  snapshotId: string;
  signedBy: string | null;
  asOf: string;
  publishedAt: string;
  documents: { path: string; sha256: string }[];
}

async function get(path: string): Promise<Buffer> {
  const { SIGHTLINE_URL = '', SIGHTLINE_API_KEY = '' } = process.env;
  const response = await fetch(SIGHTLINE_URL.replace(/\/+$/, '') + path, {
    headers: { authorization: `Bearer ${SIGHTLINE_API_KEY}` },
    signal: AbortSignal.timeout(10_000),
  }).catch((error: unknown) => {
    const { message, cause } = error as Error;
    throw new Error(`${path} cannot be read: ${cause instanceof Error ? cause.message : message}`);
  });
  if (!response.ok) throw new Error(`${path} cannot be read: status ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function demand(isSo: boolean, what: string): void {
  if (!isSo) {
    process.stderr.write(`NOT PROVED: ${what}\n`);
    process.exit(1);
  }
  say(`ok: ${what}`);
}

const sha256 = (...parts: (Uint8Array | string)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const half = (n: number): number => Math.floor(n / 2);
const base64 = (text: string): Buffer => Buffer.from(text, 'base64');

/** RFC 9162, 2.1.3.2: the root of the tree that the leaf and its siblings lead to; null: they lead nowhere. */
function rootOf(leaf: Buffer, index: number, size: number, siblings: readonly Buffer[]): Buffer | null {
  let at = index;
  let last = size - 1;
  let hash = leaf;
  if (at > last) return null;
  for (const sibling of siblings) {
    if (last === 0) return null;
    if (at % 2 === 1 || at === last) {
      hash = sha256('\x01', sibling, hash);
      while (at !== 0 && at % 2 === 0) [at, last] = [half(at), half(last)];
    } else {
      hash = sha256('\x01', hash, sibling);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 ? hash : null;
}

/** Offline from here on. The public key comes from the operator, by another way than the API. */
function prove(proof: Proof, document: Buffer, snapshot: string, path: string, key: KeyObject): void {
  const der = key.export({ type: 'spki', format: 'der' });
  const text = Buffer.from(proof.manifest);
  const manifest = JSON.parse(proof.manifest) as Manifest;
  const fingerprint = sha256(der).toString('hex');
  demand(
    proof.publicKeyFingerprint === fingerprint && manifest.signedBy === fingerprint,
    'signed with this public key',
  );
  demand(verify(null, text, key, base64(proof.signature ?? '')), 'the signature is over the manifest');
  demand(manifest.snapshotId === snapshot, `the manifest is of the snapshot ${snapshot}`);
  const listed = manifest.documents.find((entry) => entry.path === `${path}.json`);
  demand(listed?.sha256 === sha256(document).toString('hex'), `the manifest lists these bytes as ${path}`);
  if (proof.inclusionProof === null) {
    say('The transparency log does not have the snapshot yet: ask again tomorrow.');
    return;
  }

  const end = proof.inclusionProof.indexOf('\n\n');
  const [, extra = '', index = '', ...siblings] = proof.inclusionProof.slice(0, end).split('\n');
  const entry = base64(extra.slice('extra '.length));
  const logged = JSON.parse(entry.toString()) as { manifestSha256: string };
  demand(logged.manifestSha256 === sha256(text).toString('hex'), 'the entry of the log names the manifest');
  const [body = '', signatures = ''] = proof.inclusionProof.slice(end + 2).split('\n\n');
  const [origin = '', size = '', root = ''] = body.split('\n');
  const found = rootOf(
    sha256('\x00', entry),
    Number(index.slice('index '.length)),
    Number(size),
    siblings.map(base64),
  );
  demand(found?.equals(base64(root)) === true, `the entry is one of the ${size} of the log ${origin}`);
  const keyId = sha256(`${origin}\n\x01`, der.subarray(-32)).subarray(0, 4);
  const own = signatures
    .split('\n')
    .filter((line) => line.startsWith(`\u2014 ${origin} `))
    .map((line) => base64(line.split(' ')[2]!))
    .filter((bytes) => bytes.subarray(0, 4).equals(keyId));
  const isSigned = own.every((bytes) => verify(null, Buffer.from(`${body}\n`), key, bytes.subarray(4)));
  demand(own.length > 0 && isSigned, 'the head of the log is signed with this public key');
  say(`Published ${manifest.publishedAt}, as of ${manifest.asOf}.`);
}

const [snapshot, path, keyFile] = process.argv.slice(2);
if (snapshot === undefined || path === undefined || keyFile === undefined) {
  process.stderr.write('usage: node prove.ts SNAPSHOT brands/BRAND/visibility PUBLIC_KEY.pem\n');
  process.exit(1);
}
const base = `/api/v1/snapshots/${snapshot}`;
try {
  const { data } = JSON.parse((await get(`${base}/proof`)).toString()) as { data: Proof };
  prove(data, await get(`${base}/${path}`), snapshot, path, createPublicKey(readFileSync(keyFile)));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
