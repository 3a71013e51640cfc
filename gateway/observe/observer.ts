import type { AdmissionObserver } from '../admission/admission.ts';
import type { ConnectionObserver } from '../http/connections.ts';
import type { DocumentObserver } from '../documents/documents.ts';
import type { StoreObject } from './store-reads.ts';

/** One finished request for logs and metrics, without key, headers or client address. */
export interface Answered {
  requestId: string;
  /** The id of the operation, or the name of another route. */
  route: string;
  /** The HTTP status; 499 if the client closed the connection before the response. */
  status: number;
  /** Null if the key is unknown. */
  workspaceId: string | null;
  /** The key's id in the records; null if the key is unknown. */
  keyId: number | null;
  ms: number;
}

/** Receives every event; the metrics implement it, and the log implements a part. */
export interface GatewayObserver extends AdmissionObserver, ConnectionObserver, DocumentObserver {
  answered(request: Answered): void;
  /** An object is read from the store. */
  storeRead(object: StoreObject): void;
  /** A request got a 500 because of this error. */
  requestFailed(requestId: string, error: unknown): void;
}

/** Passes every event to `whole`, and before that to `part` if that observes it. Named one by one: every request passes here. */
export function both(part: Partial<GatewayObserver>, whole: GatewayObserver): GatewayObserver {
  type Receive = (...event: unknown[]) => void;
  const receivers = part as Record<string, Receive>;
  const passing = Object.entries(whole as unknown as Record<string, Receive>).map(([name, second]) => {
    const first = receivers[name];
    // No event has more than three parts; a rest parameter would allocate an array for each event.
    const pass = (one: unknown, two: unknown, three: unknown) => {
      first!(one, two, three);
      second(one, two, three);
    };
    return [name, first === undefined ? second : pass];
  });
  return Object.fromEntries(passing) as GatewayObserver;
}
