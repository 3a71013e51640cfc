import { fastify } from './fastify.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Counted } from './allowance.ts';
import type { Gatekeeper } from './admission.ts';
import { closeBareConnection, connectionLimits, mindConnections } from './connections.ts';
import { credentialOf } from './credential.ts';
import type { PublicFile } from './documentation.ts';
import type { DocumentService } from './documents.ts';
import type { Exchange } from './exchange.ts';
import type { GatewayObserver } from './observer.ts';
import { readHeaders } from './request.ts';
import { requestIds } from './request-id.ts';
import { sendDocument, sendError, sendPublicFile } from './respond.ts';
import { gatewayRoutes } from './routes.ts';
import type { GatewayRoute } from './routes.ts';

export interface AppParts {
  gatekeeper: Gatekeeper;
  documents: DocumentService;
  observer: GatewayObserver;
  publicFiles: readonly PublicFile[];
}

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange;
  }
}

/** The gateway, apart from the process that it runs in. Close `documents` and the records after it. */
export function buildApp(parts: AppParts): FastifyInstance {
  const app = fastify({
    ...connectionLimits,
    genReqId: requestIds(),
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { querystringParser: () => ({}) },
    clientErrorHandler: closeBareConnection,
    // For a path that cannot be decoded or is too long. Hooks do not run then; admission still comes first.
    frameworkErrors: (_error, request, reply) => {
      answerNotFound(parts, request, reply);
    },
  });
  mindConnections(app.server);
  app.decorateRequest('exchange');
  // What no route answers is answered in a hook, before Fastify would read its body. The routes have none: a hook, and
  // the route options that it would have to ask for, are made anew for each request.
  app.register(async (elsewhere) => {
    elsewhere.addHook('onRequest', (request, reply, _done) => answerNotFound(parts, request, reply));
    elsewhere.setNotFoundHandler(() => undefined);
  });
  app.setErrorHandler((error, request, reply) => {
    reply.hijack();
    fail(request.exchange, error);
  });
  for (const route of gatewayRoutes) addRoute(app, parts, route);
  for (const file of parts.publicFiles) addPublicFile(app, parts, file);
  return app;
}

function addRoute(app: FastifyInstance, parts: AppParts, route: GatewayRoute): void {
  app.get<{ Params: { brandId?: string } }>(route.url, (request, reply) => {
    const exchange = beginExchange(parts, request, reply, route.operationId);
    admit(parts, exchange, ({ workspaceId, allowance }) => {
      const path = route.pathInSnapshot(request.params.brandId);
      if (path === null) return sendError(exchange, 'not_found');
      parts.documents.find(workspaceId, path, (error, found) => {
        if (error !== null) fail(exchange, error);
        else if (found === null) sendError(exchange, 'not_found');
        else sendDocument(exchange, allowance, found);
      });
    });
  });
}

function addPublicFile(app: FastifyInstance, parts: AppParts, file: PublicFile): void {
  app.get(file.url, { exposeHeadRoute: true }, (request, reply) => {
    const exchange = beginExchange(parts, request, reply, 'documentation');
    reply.hijack();
    file.document(request.raw).then(
      (document) => sendPublicFile(exchange, file.type, document),
      (error: unknown) => fail(exchange, error),
    );
  });
}

function answerNotFound(parts: AppParts, request: FastifyRequest, reply: FastifyReply): void {
  const exchange = beginExchange(parts, request, reply, 'none');
  admit(parts, exchange, () => sendError(exchange, 'not_found'));
}

/** `route`: for logs and metrics. */
function beginExchange(
  { observer }: AppParts,
  request: Pick<FastifyRequest, 'id' | 'raw' | 'exchange'>,
  reply: Pick<FastifyReply, 'raw'>,
  route: string,
): Exchange {
  return (request.exchange = {
    requestId: request.id,
    route,
    headers: readHeaders(request.raw),
    response: reply.raw,
    began: performance.now(),
    admission: null,
    observer,
  });
}

/** Asks in the order of spec 5 and 8: credential, plan, allowance. Goes on only with the admitted. */
function admit({ gatekeeper }: AppParts, exchange: Exchange, goOn: (admission: Counted) => void): void {
  const credential = credentialOf(exchange.headers);
  if (credential.refused !== null) return sendError(exchange, credential.refused);
  gatekeeper.admit(credential.key, (admission) => {
    exchange.admission = admission;
    try {
      if (admission === null) sendError(exchange, 'internal');
      else if (admission.outcome === 'admitted') goOn(admission);
      else sendError(exchange, admission.outcome);
    } catch (error) {
      fail(exchange, error); // a defect; the other requests of the batch must still be answered
    }
  });
}

function fail(exchange: Exchange, error: unknown): void {
  exchange.observer.requestFailed(exchange.requestId, error);
  sendError(exchange, 'internal');
}
