import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isUuid } from '../lib/uuid.ts';
import { operations } from '../lib/documents/routes.ts';
import type { Operation } from '../lib/documents/routes.ts';
import { isApiTable } from '../lib/tables/names.ts';
import type { Counted } from './admission/allowance.ts';
import type { DocumentService } from './documents/documents.ts';
import type { Found, Question } from './documents/reader.ts';
import { JSON_TYPE, allowanceHeaders, sendError, sendPrepared } from './http/respond.ts';

interface Params {
  brandId?: string;
  snapshotId?: string;
  table?: string;
}

/** The operations of the API, for requests that were admitted: every one is a document of the key's workspace. */
export function addOperations(api: FastifyInstance, documents: DocumentService): void {
  for (const { operationId, path, answer } of operations) {
    const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
    api.get<{ Params: Params }>(url, { config: { route: operationId } }, async (request, reply) => {
      const question = questionFor(answer, request.params);
      const found = question && (await documents.find(request.admission!.workspaceId!, question));
      return found === null
        ? await sendError(request, reply, 'not_found')
        : await sendDocument(request, reply, found);
    });
  }
}

/** Ids are published in lower case; that of a brand is accepted in any case (RFC 9562, section 4). Null: malformed, or no table. */
function questionFor(answer: Operation['answer'], { brandId, snapshotId, table }: Params): Question | null {
  if (answer === 'snapshots') return { of: 'list' };
  if (answer === 'proof') return { of: 'proof', snapshotId: snapshotId! };
  if (answer === 'brands' || answer === 'week')
    return { of: 'document', document: { brandId: null, name: answer }, snapshotId };
  if (answer === 'table')
    return isApiTable(table!)
      ? { of: 'document', document: { brandId: null, name: answer, table }, snapshotId }
      : null;
  if (!isUuid(brandId!)) return null;
  return { of: 'document', document: { brandId: brandId!.toLowerCase(), name: answer }, snapshotId };
}

function sendDocument(request: FastifyRequest, reply: FastifyReply, found: Found): FastifyReply {
  const { document, snapshotId, lastModified, isFinal } = found;
  reply.header('Cache-Control', isFinal ? 'private, max-age=31536000, immutable' : 'private, no-cache');
  reply.header('Vary', 'Accept-Encoding, Authorization, x-api-key');
  if (snapshotId !== null) reply.header('X-Snapshot-Id', snapshotId);
  if (lastModified !== null) reply.header('Last-Modified', lastModified);
  reply.headers(allowanceHeaders(request.admission as Counted));
  return sendPrepared(request, reply, document, JSON_TYPE);
}
