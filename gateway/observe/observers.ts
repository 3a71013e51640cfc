import type { GatewayObserver } from './observer.ts';

/** Passes every event to two observers. */
export function both(one: GatewayObserver, two: GatewayObserver): GatewayObserver {
  return {
    answered(request) {
      one.answered(request);
      two.answered(request);
    },
    storeRead(object) {
      one.storeRead(object);
      two.storeRead(object);
    },
    requestFailed(requestId, error) {
      one.requestFailed(requestId, error);
      two.requestFailed(requestId, error);
    },
    batchAnswered(requests, keys, ms) {
      one.batchAnswered(requests, keys, ms);
      two.batchAnswered(requests, keys, ms);
    },
    admissionFailed(error) {
      one.admissionFailed(error);
      two.admissionFailed(error);
    },
    connectionRefused(reason) {
      one.connectionRefused(reason);
      two.connectionRefused(reason);
    },
    cacheHit() {
      one.cacheHit();
      two.cacheHit();
    },
    cacheMiss() {
      one.cacheMiss();
      two.cacheMiss();
    },
    snapshotKept(workspaceId, reason) {
      one.snapshotKept(workspaceId, reason);
      two.snapshotKept(workspaceId, reason);
    },
    snapshotChanged(workspaceId, snapshotId) {
      one.snapshotChanged(workspaceId, snapshotId);
      two.snapshotChanged(workspaceId, snapshotId);
    },
  };
}
