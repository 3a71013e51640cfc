import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of all connections that came behind an unfinished response; each takes 2 to 6 KB until its connection ends. */
const MOST_PIPELINED = 4000;
/** Pipelined requests that are parsed in one turn of the event loop before other connections have to wait. */
const MOST_IN_A_TURN = 2000;
/** Connections that are resumed per turn after that. */
const RESUMED_IN_A_TURN = 32;

/**
 * Handles one request of a connection at a time. If another one arrives before the response to the first is finished, it
 * is dropped, and the connection closes after that response: the client repeats what was not answered (RFC 9112, 9.3.2).
 * Node parses everything that one read returns, up to 64 KB, which is 1,700 small requests; so if clients that do not read
 * their responses hold too many requests in the whole process, the connection with the next one is closed at once.
 * @param latest the response to the last request that was handled of each connection
 */
export function refusePipelining(
  server: Server,
  latest: WeakMap<Socket, ServerResponse>,
  handle: RequestListener,
  onClosed: () => void,
): RequestListener {
  const countInTurn = limitTurns(server);
  const closing = new WeakMap<Socket, { dropped: number }>();
  let dropped = 0;

  const closeAfter = (response: ServerResponse, socket: Socket): { dropped: number } => {
    const own = { dropped: 0 };
    closing.set(socket, own);
    if (!response.headersSent) response.setHeader('Connection', 'close');
    response.once('finish', () => socket.destroySoon());
    socket.once('close', () => void (dropped -= own.dropped));
    return own;
  };

  return (request, response) => {
    const { socket } = request;
    // Node assigns the socket to one response at a time: no socket means that an earlier response is unfinished.
    if (response.socket !== null && !closing.has(socket)) return handle(request, response);
    countInTurn();
    if (socket.destroyed) return;
    const own = closing.get(socket) ?? closeAfter(latest.get(socket)!, socket);
    own.dropped += 1;
    dropped += 1;
    if (dropped <= MOST_PIPELINED) return;
    onClosed();
    socket.destroy();
  };
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
