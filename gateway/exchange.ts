import type { ServerResponse } from 'node:http';
import type { Admission } from './allowance.ts';
import type { GatewayObserver } from './observer.ts';
import type { RequestHeaders } from './request.ts';

/** One request and its answer, from the moment its headers were read. */
export interface Exchange {
  requestId: string;
  route: string;
  headers: RequestHeaders;
  response: ServerResponse;
  /** `performance.now()` when it began. */
  began: number;
  /** Null until the records have answered. */
  admission: Admission | null;
  observer: GatewayObserver;
}
