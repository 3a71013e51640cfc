import type { ServerResponse } from 'node:http';
import type { Admission } from './admission/allowance.ts';
import type { GatewayObserver } from './observe/observer.ts';
import type { RequestHeaders } from './http/request.ts';

/** One request and its response, from the moment the headers were read. */
export interface Exchange {
  requestId: string;
  route: string;
  headers: RequestHeaders;
  response: ServerResponse;
  /** `performance.now()` at its start. */
  began: number;
  /** Null until the records have responded. */
  admission: Admission | null;
  observer: GatewayObserver;
}
