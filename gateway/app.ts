import { randomUUID } from 'node:crypto';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Counted } from './admission/allowance.ts';
import type { AdmissionQueue } from './admission/admission.ts';
import { clientConnections } from './http/connections.ts';
import { credentialOf } from './admission/credential.ts';
import type { PublicFile } from './docs/documentation.ts';
import type { DocumentService } from './documents/documents.ts';
import type { GatewayObserver } from './observe/observer.ts';
import { fastify } from './http/listen.ts';
import { readHeaders } from './http/request.ts';
import { sendDocument, sendError, sendPublicFile, sendRedirect } from './http/respond.ts';
import type { Exchange } from './http/respond.ts';
import { gatewayRoutes } from './routes.ts';
import type { GatewayRoute, RouteParams } from './routes.ts';

export interface AppParts {
  admissions: AdmissionQueue;
  documents: DocumentService;
  observer: GatewayObserver;
  publicFiles: readonly PublicFile[];
  /** True while the gateway stops: every response then asks the client to close the connection. */
  isStopping?: () => boolean;
}

/** The gateway, apart from the process that it runs in. Close the app first, then `documents` and the records. */
export function buildApp(parts: AppParts): FastifyInstance {
  const { observer, isStopping = () => false } = parts;
  const app = fastify({
    ...clientConnections({ observer, isStopping }),
    genReqId: () => randomUUID(),
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { querystringParser: () => ({}) },
    // For paths that cannot be decoded or are too long.
    frameworkErrors: (_error, request, reply) => answerNotFound(parts, request, reply),
  });
  // No operation has a request body: bodies of any type are ignored.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.setNotFoundHandler((request, reply) => answerNotFound(parts, request, reply));
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if ((error.statusCode ?? 500) < 500) answerNotFound(parts, request, reply);
    else fail(beginExchange(parts, request, reply, 'none'), error);
  });
  for (const route of gatewayRoutes) addRoute(app, parts, route);
  for (const file of parts.publicFiles) addPublicFile(app, parts, file);
  addRoot(app, parts);
  return app;
}

function addRoute(app: FastifyInstance, parts: AppParts, route: GatewayRoute): void {
  app.get<{ Params: RouteParams }>(route.url, (request, reply) => {
    const exchange = beginExchange(parts, request, reply, route.operationId);
    admit(parts, exchange, (admission) => {
      const question = route.question(request.params);
      if (question === null) return sendError(exchange, 'not_found');
      parts.documents.find(admission.workspaceId, question, (error, found) => {
        attempt(exchange, () => {
          if (error !== null) fail(exchange, error);
          else if (found === null) sendError(exchange, 'not_found');
          else sendDocument(exchange, admission, found);
        });
      });
    });
  });
}

function addPublicFile(app: FastifyInstance, parts: AppParts, file: PublicFile): void {
  app.get(file.url, { exposeHeadRoute: true }, (request, reply) => {
    const exchange = beginExchange(parts, request, reply, 'documentation');
    file
      .document(request.raw)
      .then((document) => sendPublicFile(exchange, file, document))
      .catch((error: unknown) => fail(exchange, error));
  });
}

/** A browser without a key is sent to the page for people; anyone else gets what every unknown path gets. */
function addRoot(app: FastifyInstance, parts: AppParts): void {
  app.get('/', { exposeHeadRoute: true }, (request, reply) => {
    const exchange = beginExchange(parts, request, reply, 'documentation');
    const isBrowser = request.headers.accept?.includes('text/html') === true;
    if (isBrowser && credentialOf(exchange.headers).refused === 'missing_key')
      sendRedirect(exchange, '/explore');
    else answerNotFound(parts, request, reply);
  });
}

function answerNotFound(parts: AppParts, request: FastifyRequest, reply: FastifyReply): void {
  const exchange = beginExchange(parts, request, reply, 'none');
  admit(parts, exchange, () => sendError(exchange, 'not_found'));
}

/** @param route the label in logs and metrics */
function beginExchange(
  { observer }: AppParts,
  request: Pick<FastifyRequest, 'id' | 'raw'>,
  reply: Pick<FastifyReply, 'raw'>,
  route: string,
): Exchange {
  return {
    requestId: request.id,
    route,
    headers: readHeaders(request.raw),
    response: reply.raw,
    began: performance.now(),
    admission: null,
    observer,
  };
}

/** Checks credential, plan and allowance, in this order. Calls `goOn` only if the request is admitted. */
function admit({ admissions }: AppParts, exchange: Exchange, goOn: (admission: Counted) => void): void {
  const credential = credentialOf(exchange.headers);
  if (credential.refused === 'missing_key') return sendError(exchange, 'missing_key');
  if (credential.refused === 'invalid_key') return refuse(admissions, exchange, credential.named);
  admissions.admit(credential.key, (admission) => {
    exchange.admission = admission;
    attempt(exchange, () => {
      if (admission.refused === null) goOn(admission);
      else sendError(exchange, admission.refused);
    });
  });
}

/** Responds after the last-used times of the keys in an ambiguous credential are updated. */
function refuse(admissions: AdmissionQueue, exchange: Exchange, named: readonly string[]): void {
  if (named.length === 0) return sendError(exchange, 'invalid_key');
  admissions.recordUse(named, () => attempt(exchange, () => sendError(exchange, 'invalid_key')));
}

/** Catches what an admission callback throws: it would stop the other requests of the batch, and end the process. */
function attempt(exchange: Exchange, answer: () => void): void {
  try {
    answer();
  } catch (error) {
    fail(exchange, error);
  }
}

function fail(exchange: Exchange, error: unknown): void {
  try {
    exchange.observer.requestFailed(exchange.requestId, error);
    sendError(exchange, 'internal');
  } catch {
    exchange.response.destroy();
  }
}
