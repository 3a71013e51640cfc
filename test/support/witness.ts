import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KeyObject } from 'node:crypto';
import type { Signer } from '../../snapshots/signing.ts';
import { cosign, isCount, parseCheckpoint } from '../../snapshots/log/notes/checkpoint.ts';
import { EMPTY_ROOT, isConsistent } from '../../snapshots/log/tree/merkle.ts';
import {
  COSIGNATURE,
  decodeBase64,
  formatSignature,
  formatVerifierKey,
  verifierKey,
} from '../../snapshots/log/notes/note.ts';
import { isSignedByLog } from '../../snapshots/log/read.ts';

export interface TestWitness {
  url: string;
  vkey: string;
  /** The number of requests, and the response to the next ones instead of a cosignature. */
  requests: number;
  failing: number | null;
  close(): Promise<void>;
}

export interface WitnessedLog {
  origin: string;
  publicKey: KeyObject;
}

type Reply = { status: number; type?: string; body: string };

/** A witness over HTTP by c2sp.org/tlog-witness, for one log, with its state in memory. */
export async function startWitness(name: string, signer: Signer, log: WitnessedLog): Promise<TestWitness> {
  let size = 0;
  let root: Buffer = EMPTY_ROOT;
  const addCheckpoint = (body: string): Reply => {
    const end = body.indexOf('\n\n');
    const [oldLine = '', ...proofLines] = body.slice(0, end).split('\n');
    const old = /^old (\S+)$/.exec(oldLine)?.[1] ?? '';
    const proof = proofLines.map(decodeBase64);
    if (end === -1 || !isCount(old) || proof.length > 63 || proof.includes(null))
      return { status: 400, body: 'malformed request\n' };
    const checkpoint = parseCheckpoint(Buffer.from(body.slice(end + 2)), 'the checkpoint');
    if (checkpoint.origin !== log.origin) return { status: 404, body: 'unknown log\n' };
    if (!isSignedByLog(checkpoint.note, log.origin, [log.publicKey]))
      return { status: 403, body: 'not signed by the log\n' };
    if (Number(old) > checkpoint.size) return { status: 400, body: 'old size is larger\n' };
    if (Number(old) !== size) return { status: 409, type: 'text/x.tlog.size', body: `${size}\n` };
    if (!isConsistent({ size, root }, checkpoint, proof as Buffer[]))
      return { status: 422, body: 'not consistent\n' };
    [size, root] = [checkpoint.size, checkpoint.root];
    return { status: 200, body: formatSignature(cosign(checkpoint.note.text, name, signer, Date.now())) };
  };
  const witness: TestWitness = {
    url: '',
    vkey: formatVerifierKey(verifierKey(name, COSIGNATURE, signer.publicKey)),
    requests: 0,
    failing: null,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  const respond = async (request: IncomingMessage): Promise<Reply> => {
    witness.requests += 1;
    if (witness.failing !== null) return { status: witness.failing, body: '' };
    if (request.method !== 'POST' || request.url !== '/prefix/add-checkpoint')
      return { status: 404, body: '' };
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString('utf8');
    try {
      return addCheckpoint(body);
    } catch {
      return { status: 400, body: 'malformed request\n' };
    }
  };
  const server = createServer((request, response) => {
    void respond(request).then(({ status, type = 'text/plain; charset=utf-8', body }) =>
      response.writeHead(status, { 'content-type': type }).end(body),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  witness.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`;
  return witness;
}
