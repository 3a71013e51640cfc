export type * from './api.ts';
export { Sightline } from './client.ts';
export type { RateLimit, RequestOptions, SightlineOptions, SightlineResponse } from './connection.ts';
export { SightlineError } from './error.ts';
export type { ErrorCode } from './error.ts';
export { memoryStore } from './store.ts';
export type { ResponseStore, StoredResponse } from './store.ts';
