import { randomUUID } from 'node:crypto';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AdmissionQueue } from './admission/admission.ts';
import type { Admission } from './admission/allowance.ts';
import { credentialOf } from './admission/credential.ts';
import type { DocumentService } from './documents/documents.ts';
import { sendPublicFile } from './http/public-file.ts';
import type { PublicFile } from './http/public-file.ts';
import { sendError } from './http/respond.ts';
import { clientConnections, connectionLimits, fastify } from './http/server.ts';
import type { GatewayObserver } from './observe/observer.ts';
import { addOperations } from './routes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the records have responded. */
    admission: Admission | null;
  }
  interface FastifyContextConfig {
    /** The name in logs and metrics: the id of the operation, or `documentation`. */
    route?: string;
  }
}

export interface AppParts {
  admissions: AdmissionQueue;
  documents: DocumentService;
  observer: GatewayObserver;
  publicFiles: readonly PublicFile[];
  /** True while the gateway stops: every response then asks the client to close the connection. */
  isStopping?: () => boolean;
}

type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** The gateway, apart from the process that it runs in. Close the app first, then `documents` and the records. */
export function buildApp(parts: AppParts): FastifyInstance {
  const { observer, isStopping = () => false } = parts;
  const app = fastify({
    ...clientConnections(observer),
    genReqId: () => randomUUID(),
    exposeHeadRoutes: false,
    return503OnClosing: false,
    // A long parameter is an unknown id, as the limit on headers allows it; beyond this Fastify would respond by itself.
    routerOptions: { querystringParser: () => ({}), maxParamLength: connectionLimits.maxHeaderSize },
    // Fastify would respond to a path that cannot be decoded by itself; under another one it is an unknown path.
    rewriteUrl: ({ url = '' }) => (isDecodable(url) ? url : '/undecodable'),
  });
  // No operation has a request body: bodies of any type are ignored.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.decorateRequest('admission', null);
  app.addHook('onRequest', (request, reply, done) => {
    if (refuseUnsound(request, reply)) return;
    reply.header('X-Request-Id', request.id);
    // After Expect it is unknown whether a body follows; after Upgrade Node drops what is in the same packet.
    const { expect, upgrade } = request.headers;
    if (isStopping() || expect !== undefined || upgrade !== undefined) reply.header('Connection', 'close');
    reportAbandoned(observer, request, reply);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    report(observer, request, reply, reply.statusCode);
    done();
  });
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if ((error.statusCode ?? 500) < 500) return sendError(request, reply, 'not_found');
    observer.requestFailed(request.id, error);
    return sendError(request, reply, 'internal');
  });
  const admit = admissionBy(parts.admissions);
  app.register(async (pages) => addPages(pages, parts.publicFiles, admit));
  app.register(async (api) => addApi(api, parts.documents, admit));
  return app;
}

/** Needs no key, and counts nothing. */
function addPages(pages: FastifyInstance, files: readonly PublicFile[], admit: Admit): void {
  const options = { exposeHeadRoute: true, config: { route: 'documentation' } };
  for (const file of files)
    pages.get(file.url, options, async (request, reply) => await sendPublicFile(request, reply, file));
  // A browser without a key is sent to the page for people; anyone else gets what every unknown path gets.
  pages.get('/', options, async (request, reply) => {
    const isBrowser = request.headers.accept?.includes('text/html') === true;
    if (isBrowser && credentialOf(request.raw.headersDistinct).refused === 'missing_key')
      return await reply.headers({ 'Cache-Control': 'no-store', Vary: 'Accept' }).redirect('/explore');
    await admit(request, reply);
    return reply.sent ? await reply : await sendError(request, reply, 'not_found');
  });
}

/** Every request is admitted first, one to an unknown path too. */
function addApi(api: FastifyInstance, documents: DocumentService, admit: Admit): void {
  api.addHook('onRequest', admit);
  api.setNotFoundHandler((request, reply) => sendError(request, reply, 'not_found'));
  addOperations(api, documents);
}

/** Checks credential, plan and allowance, in this order, and responds to a request that is refused. */
function admissionBy(admissions: AdmissionQueue): Admit {
  return async (request, reply) => {
    const credential = credentialOf(request.raw.headersDistinct);
    if (credential.key !== null) request.admission = await admissions.admit(credential.key);
    else if (credential.refused === 'invalid_key') await admissions.recordUse(credential.named);
    const refused = request.admission === null ? credential.refused : request.admission.refused;
    if (refused !== null) await sendError(request, reply, refused);
  };
}

/**
 * Refuses requests that Node's parser accepts: with several Host fields (RFC 9112, 3.2), or another version than 1.x.
 * @returns true if the request was refused
 */
function refuseUnsound({ raw }: FastifyRequest, reply: FastifyReply): boolean {
  const isVersion1 = raw.httpVersionMajor === 1;
  const { host = [] } = raw.headersDistinct;
  if (isVersion1 && host.length < 2) return false;
  void reply
    .code(isVersion1 ? 400 : 505)
    .header('Connection', 'close')
    .send();
  return true;
}

function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    decodeURI(url.split(/[?#]/)[0]!);
    return true;
  } catch {
    return false;
  }
}

/** nginx's status for a client that closed the connection before the response. */
const CLIENT_LEFT = 499;

/** Fastify's onRequestAbort is silent where Node makes no stream for an absent body. */
function reportAbandoned(observer: GatewayObserver, request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = reply;
  raw.once('close', () => {
    if (!raw.writableFinished) report(observer, request, reply, CLIENT_LEFT);
  });
}

function report(
  observer: GatewayObserver,
  request: FastifyRequest,
  { elapsedTime }: FastifyReply,
  status: number,
): void {
  const { admission, id: requestId, routeOptions } = request;
  observer.answered({
    requestId,
    route: routeOptions.config.route ?? 'none',
    status,
    workspaceId: admission?.workspaceId ?? null,
    keyId: admission?.keyId ?? null,
    ms: elapsedTime,
  });
}
