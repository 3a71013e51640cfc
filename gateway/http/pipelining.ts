import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that are handled concurrently, besides the one that is answered first. */
const HANDLED_AT_ONCE = 16;
/** Requests of all connections that wait for an earlier response; each takes 2 to 6 KB. */
const MOST_PIPELINED = 4000;

/** Pipelined requests that are parsed in one turn of the event loop before other connections have to wait. */
const MOST_IN_A_TURN = 2000;
/** Connections that are resumed per turn after that. */
const RESUMED_IN_A_TURN = 32;

/** The requests of one connection that arrived before its earlier ones were answered. */
interface Pipeline {
  socket: Socket;
  handled: number;
  waiting: [IncomingMessage, ServerResponse][];
  isScheduled: boolean;
}

/**
 * Limits the memory that a client can use by sending requests without reading the responses. Node parses everything
 * that one read returns, up to 64 KB, which is 1,700 small requests. Only a few of them are handled at a time; the
 * others wait, and the connection is not read meanwhile. If too many requests wait in the whole process, the connection
 * with the next one is closed.
 */
export function limitPipelining(
  server: Server,
  handle: RequestListener,
  onClosed: () => void,
): RequestListener {
  const pipelines = new Pipelines(handle);
  const countInTurn = limitTurns(server);
  return (request, response) => {
    // Node assigns the socket to one response at a time: no socket means that an earlier response is unfinished.
    if (response.socket !== null) return handle(request, response);
    countInTurn();
    const { socket } = request;
    if (socket.destroyed) return;
    if (pipelines.isFull()) {
      onClosed();
      socket.destroy();
      return;
    }
    pipelines.add(request, response);
  };
}

/** The pipelined requests of all connections. */
class Pipelines {
  readonly #handle: RequestListener;
  readonly #pipelines = new WeakMap<Socket, Pipeline>();
  #requests = 0;

  constructor(handle: RequestListener) {
    this.#handle = handle;
  }

  isFull(): boolean {
    return this.#requests >= MOST_PIPELINED;
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#requests += 1;
    const pipeline = this.#pipelines.get(socket) ?? this.#open(socket);
    if (pipeline.handled < HANDLED_AT_ONCE && pipeline.waiting.length === 0) {
      this.#start(pipeline, request, response);
      return;
    }
    pipeline.waiting.push([request, response]);
    socket.pause();
  }

  #open(socket: Socket): Pipeline {
    const pipeline: Pipeline = { socket, handled: 0, waiting: [], isScheduled: false };
    this.#pipelines.set(socket, pipeline);
    // Node resumes sockets too, for instance to read a body.
    socket.on('resume', () => void (pipeline.waiting.length > 0 && socket.pause()));
    socket.once('close', () => {
      this.#requests -= pipeline.handled + pipeline.waiting.length;
      pipeline.handled = 0;
      pipeline.waiting = [];
    });
    return pipeline;
  }

  #start(pipeline: Pipeline, request: IncomingMessage, response: ServerResponse): void {
    pipeline.handled += 1;
    response.once('close', () => {
      if (pipeline.handled === 0) return; // the connection is closed
      pipeline.handled -= 1;
      this.#requests -= 1;
      if (pipeline.waiting.length === 0 || pipeline.isScheduled) return;
      pipeline.isScheduled = true;
      setImmediate(() => this.#handleNext(pipeline));
    });
    this.#handle(request, response);
  }

  #handleNext(pipeline: Pipeline): void {
    pipeline.isScheduled = false;
    while (pipeline.handled < HANDLED_AT_ONCE && pipeline.waiting.length > 0) {
      this.#start(pipeline, ...pipeline.waiting.shift()!);
    }
    if (pipeline.waiting.length === 0) pipeline.socket.resume();
  }
}

/**
 * Stops reading all connections for the rest of a turn of the event loop in which too many pipelined requests arrived.
 * 100 connections can send 150,000 in one turn, and Node frees those of a closed connection only at its end.
 * @returns a function to call for each pipelined request
 */
function limitTurns(server: Server): () => void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const paused = new Set<Socket>();
  let inTurn = 0;
  let isScheduled = false;
  const schedule = () => {
    if (!isScheduled) setImmediate(endTurn);
    isScheduled = true;
  };
  const endTurn = () => {
    isScheduled = false;
    inTurn = 0;
    for (const socket of paused.values().take(RESUMED_IN_A_TURN)) {
      paused.delete(socket);
      socket.resume();
    }
    if (paused.size > 0) schedule();
  };
  return () => {
    inTurn += 1;
    schedule();
    if (inTurn !== MOST_IN_A_TURN) return;
    for (const socket of sockets) {
      if (socket.isPaused()) continue;
      socket.pause();
      paused.add(socket);
    }
  };
}
