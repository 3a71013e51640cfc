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

/** Passes every event to `whole`, and before that to `part` if that observes it. */
export function both(part: Partial<GatewayObserver>, whole: GatewayObserver): GatewayObserver {
  type Receivers = Record<string, (...event: unknown[]) => void>;
  const [some, all] = [part, whole] as unknown as [Receivers, Receivers];
  const passing: Receivers = {};
  for (const [name, receive] of Object.entries(some)) {
    passing[name] = (...event) => {
      receive(...event);
      all[name]!(...event);
    };
  }
  return { ...whole, ...(passing as Partial<GatewayObserver>) };
}
