import { fastify } from './fastify.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Allowance } from './allowance.ts';
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
  interface FastifyContextConfig {
    /** For logs and metrics; absent where no route was found. */
    name?: string;
    /** Served without a key and outside the limit. Everything else passes admission first. */
    isPublic?: boolean;
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
      beginExchange(parts, request, reply);
      admit(parts, request.exchange, () => sendError(request.exchange, 'not_found'));
    },
  });
  mindConnections(app.server);
  app.decorateRequest('exchange');
  app.addHook('onRequest', (request, reply, done) => {
    beginExchange(parts, request, reply);
    if (request.routeOptions.config.isPublic === true) return done();
    // What no route answers is answered here, before Fastify would read its body.
    admit(parts, request.exchange, () => (request.is404 ? sendError(request.exchange, 'not_found') : done()));
  });
  app.setErrorHandler((error, request, reply) => {
    reply.hijack();
    fail(request.exchange, error);
  });
  for (const route of gatewayRoutes) addRoute(app, parts, route);
  for (const file of parts.publicFiles) addPublicFile(app, file);
  return app;
}

function addRoute(app: FastifyInstance, { documents }: AppParts, route: GatewayRoute): void {
  app.get<{ Params: { brandId?: string } }>(
    route.url,
    { config: { name: route.operationId } },
    ({ exchange, params }) => {
      const path = route.pathInSnapshot(params.brandId);
      if (path === null) return sendError(exchange, 'not_found');
      const { workspaceId, allowance } = exchange.admission as { workspaceId: string; allowance: Allowance };
      documents.find(workspaceId, path, (error, found) => {
        if (error !== null) fail(exchange, error);
        else if (found === null) sendError(exchange, 'not_found');
        else sendDocument(exchange, allowance, found);
      });
    },
  );
}

function addPublicFile(app: FastifyInstance, file: PublicFile): void {
  const config = { name: 'documentation', isPublic: true };
  app.get(file.url, { exposeHeadRoute: true, config }, ({ exchange }, reply) => {
    reply.hijack();
    file.document().then(
      (document) => sendPublicFile(exchange, file.type, document),
      (error: unknown) => fail(exchange, error),
    );
  });
}

function beginExchange({ observer }: AppParts, request: FastifyRequest, reply: FastifyReply): void {
  request.exchange = {
    requestId: request.id,
    route: request.routeOptions.config.name ?? 'none',
    headers: readHeaders(request.raw),
    response: reply.raw,
    began: performance.now(),
    admission: null,
    observer,
  };
}

/** Asks in the order of spec 5 and 8: credential, plan, allowance. Goes on only with the admitted. */
function admit({ gatekeeper }: AppParts, exchange: Exchange, goOn: () => void): void {
  const credential = credentialOf(exchange.headers);
  if (credential.refused !== null) return sendError(exchange, credential.refused);
  gatekeeper.admit(credential.hash, (admission) => {
    exchange.admission = admission;
    try {
      if (admission === null) sendError(exchange, 'internal');
      else if (admission.outcome === 'admitted') goOn();
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
