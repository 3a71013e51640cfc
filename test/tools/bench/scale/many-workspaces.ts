import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeDocument } from '../../../../lib/documents/encode.ts';
import { BRANDS_PATH, documentKinds, documentPath } from '../../../../snapshots/layout.ts';
import type { SnapshotContent } from '../../../../snapshots/publish/write-snapshot.ts';
import { memoryStore } from '../../../support/memory-store.ts';
import { benchBrand, benchPublication } from '../gateway/fixture.ts';
import { benchLog, publishAll } from '../log.ts';

/** A read-only S3 server in memory with one snapshot of each of many workspaces. */
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

/** @param folder for the keys */
export async function serveWorkspaces(
  folder: string,
  workspaces: number,
  brands: number,
): Promise<ManyWorkspaces> {
  const objects = new Map<string, Buffer>();
  const workspaceIds = Array.from(
    { length: workspaces },
    (_, n) => `11111111-1111-4111-8111-${String(n).padStart(12, '0')}`,
  );
  const log = await benchLog(folder, memoryStore(objects), memoryStore(new Map()));
  await publishAll(
    log,
    workspaceIds.map((id, n) => contentOf(id, n, brands)),
  );
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const { pathname, searchParams } = new URL(request.url!, 'http://store');
    if (searchParams.has('list-type')) return response.end(EMPTY_LIST);
    const bytes = objects.get(decodeURIComponent(pathname).replace(`/${BUCKET}/store/`, ''));
    if (bytes === undefined) return response.writeHead(404).end(NO_SUCH_KEY);
    return response.setHeader('ETag', '"1"').end(bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    workspaceIds,
    environment: {
      STORE_URL: `s3://${BUCKET}/store`,
      LOG_ORIGIN: log.origin,
      PUBLIC_KEY_FILE: log.publicKeyFile,
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

/** A snapshot with the list of brands and, of each brand, documents of a few bytes. */
function contentOf(workspaceId: string, n: number, brands: number): SnapshotContent {
  const all = Array.from({ length: brands }, (_, brand) => benchBrand(n * brands + brand));
  return {
    ...benchPublication(workspaceId, []),
    documents: [
      { path: BRANDS_PATH, bytes: encodeDocument('brands', all) },
      ...all.flatMap(({ id }) =>
        documentKinds.map((kind) => ({
          path: documentPath(id, kind),
          bytes: Buffer.from(`{"data":"${id}"}\n`),
        })),
      ),
    ],
  };
}
