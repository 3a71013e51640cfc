import type { AdmissionObserver } from '../admission/admission.ts';
import type { ConnectionObserver } from '../http/connections.ts';
import type { DocumentObserver } from '../documents/documents.ts';

/** One finished request, as logs and metrics show it: never a key, a header or an address. */
export interface Answered {
  requestId: string;
  /** The operation of the API, or what else was requested. */
  route: string;
  /** 499 where the client left before the response. */
  status: number;
  /** Null where the key is unknown. */
  workspaceId: string | null;
  /** The key's number in the records. */
  keyId: number | null;
  ms: number;
}

/** Gets every event: the log and the metrics. */
export interface GatewayObserver extends AdmissionObserver, ConnectionObserver, DocumentObserver {
  answered(request: Answered): void;
  /** A request got a 500 because of this. */
  requestFailed(requestId: string, error: unknown): void;
}
