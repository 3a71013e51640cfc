import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeDocument } from '../../../../lib/documents/encode.ts';
import { sha256 } from '../../../../lib/hash.ts';
import { BRANDS_PATH, documentKinds, documentPath, snapshotPrefix } from '../../../../snapshots/layout.ts';
import { firstSnapshot } from '../../../snapshots/first-snapshot.ts';
import { benchBrand } from '../gateway/fixture.ts';

/** A read-only S3 server in memory with one snapshot of each of many workspaces: pointers, manifests, brands. */
export interface ManyWorkspaces {
  workspaceIds: string[];
  /** The settings of a gateway that uses it. */
  environment: Record<string, string>;
  /** The number of reads and lists so far. */
  requests(): number;
  close(): Promise<void>;
}

const BUCKET = 'bench';
const EMPTY_LIST =
  '<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>';
const NO_SUCH_KEY = '<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>';

export async function serveWorkspaces(workspaces: number, brands: number): Promise<ManyWorkspaces> {
  const objects = new Map<string, Buffer>();
  const workspaceIds = Array.from(
    { length: workspaces },
    (_, n) => `11111111-1111-4111-8111-${String(n).padStart(12, '0')}`,
  );
  for (const [n, id] of workspaceIds.entries()) {
    for (const [name, bytes] of snapshotOf(id, n, brands)) objects.set(`/${BUCKET}/store/${name}`, bytes);
  }
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const { pathname, searchParams } = new URL(request.url!, 'http://store');
    if (searchParams.has('list-type')) return response.end(EMPTY_LIST);
    const bytes = objects.get(decodeURIComponent(pathname));
    if (bytes === undefined) return response.writeHead(404).end(NO_SUCH_KEY);
    return response.setHeader('ETag', '"1"').end(bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    workspaceIds,
    environment: {
      STORE_URL: `s3://${BUCKET}/store`,
      S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      S3_FORCE_PATH_STYLE: 'true',
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'bench',
      AWS_SECRET_ACCESS_KEY: 'bench',
    },
    requests: () => requests,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The objects of a workspace that a gateway reads until it has served the list of brands. */
function snapshotOf(workspaceId: string, n: number, brands: number): [string, Buffer][] {
  const all = Array.from({ length: brands }, (_, brand) => benchBrand(n * brands + brand));
  const list = encodeDocument('brands', all);
  const documents = [
    { path: BRANDS_PATH, bytes: list.length, sha256: sha256(list) },
    ...all.flatMap(({ id }) =>
      documentKinds.map((kind) => {
        const path = documentPath(id, kind);
        return { path, bytes: 6000, sha256: sha256(`${workspaceId} ${path}`) };
      }),
    ),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const content = { asOf: '2026-11-16T06:00:00.000Z', methodologyVersion: '1.0', documents };
  const { snapshotId, objects } = firstSnapshot(workspaceId, content);
  return [...objects, [`${snapshotPrefix(workspaceId, snapshotId)}${BRANDS_PATH}`, list]];
}
