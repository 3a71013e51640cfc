import { onTestFinished } from 'vitest';
import { encodeDocument } from '../../../lib/documents/encode.ts';
import { documentKinds } from '../../../lib/documents/kinds.ts';
import type { DocumentKind } from '../../../lib/documents/kinds.ts';
import type { Documents } from '../../../lib/documents/schemas.ts';
import examples from '../../openapi/examples.json' with { type: 'json' };
import { WEEK_PATH, documentPath } from '../../../snapshots/layout.ts';
import { startListeningGateway, workspaceId } from '../../gateway/gateway.ts';
import type { ListeningGateway, TestGatewayOptions } from '../../gateway/gateway.ts';
import { contentOfDocuments, encodeList } from '../../snapshots/documents.ts';
import { publishSnapshot } from '../../snapshots/publish.ts';
import { serverOf } from './mcp.ts';
import type { Server } from './mcp.ts';

/** The documents of the OpenAPI examples: one brand with prompts, engines, competitors and sources. */
export const exampleDocuments = examples as unknown as Documents;
export const brandId = exampleDocuments.brands[0]!.id;

/** The gateway's clock, which stands still: all requests of a test are in one minute, which ends after 50 seconds. */
const NOW = Date.parse('2026-11-24T06:30:10Z');

/** Documents as another version published them. */
type Bodies = Partial<Record<DocumentKind, object>>;

export interface TestWorkspace {
  gateway: ListeningGateway;
  /** The server, with the address of the gateway and a key of the workspace. */
  server: Server;
  /** Publishes the examples, some of them replaced, as of a day; returns the id. */
  publish: (day: string, documents?: Partial<Documents>, bodies?: Bodies) => Promise<string>;
}

/** A gateway that ends with the test. Its workspace already has a snapshot of 2026-11-16, with another brand. */
export async function startWorkspace(options: TestGatewayOptions = {}): Promise<TestWorkspace> {
  const gateway = await startListeningGateway({ now: () => NOW }, options);
  onTestFinished(() => gateway.close());
  return {
    gateway,
    server: serverOf({ SIGHTLINE_URL: gateway.base, SIGHTLINE_API_KEY: gateway.key }),
    publish: async (day, replaced = {}, bodies = {}) => {
      const documents = { ...exampleDocuments, ...replaced };
      const { id } = documents.visibility.brand;
      const kinds = documentKinds.map((kind) => ({
        path: documentPath(id, kind),
        bytes: bytesOf(bodies[kind]) ?? encodeDocument(kind, documents[kind]),
      }));
      const week = { path: WEEK_PATH, bytes: encodeDocument('week', documents.week) };
      const all = [encodeList(documents.brands), week, ...kinds];
      const content = contentOfDocuments(workspaceId, `${day}T06:00:00.000Z`, all);
      const { snapshotId } = await publishSnapshot(gateway.log, content);
      await gateway.documents.refresh();
      return snapshotId;
    },
  };
}

function bytesOf(data: object | undefined): Buffer | undefined {
  return data && Buffer.from(`${JSON.stringify({ data })}\n`);
}
