import type { AdmissionObserver } from '../admission/admission.ts';
import type { ConnectionObserver } from '../http/server.ts';
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

/** What is logged; every event is counted. */
export type LoggedEvents = Pick<
  GatewayObserver,
  'requestFailed' | 'admissionFailed' | 'connectionRefused' | 'snapshotKept' | 'snapshotChanged'
> &
  Partial<Pick<GatewayObserver, 'answered'>>;

/** Counts every event, and logs some of them. */
export function both(log: LoggedEvents, metrics: GatewayObserver): GatewayObserver {
  return {
    ...metrics,
    answered(request) {
      log.answered?.(request);
      metrics.answered(request);
    },
    requestFailed(requestId, error) {
      log.requestFailed(requestId, error);
      metrics.requestFailed(requestId, error);
    },
    admissionFailed(error) {
      log.admissionFailed(error);
      metrics.admissionFailed(error);
    },
    connectionRefused(reason) {
      log.connectionRefused(reason);
      metrics.connectionRefused(reason);
    },
    snapshotKept(workspaceId, reason) {
      log.snapshotKept(workspaceId, reason);
      metrics.snapshotKept(workspaceId, reason);
    },
    snapshotChanged(workspaceId, snapshotId) {
      log.snapshotChanged(workspaceId, snapshotId);
      metrics.snapshotChanged(workspaceId, snapshotId);
    },
  };
}
