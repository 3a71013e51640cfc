export type * from './api.ts';
export { Sightline } from './client.ts';
export type { RateLimit, RequestOptions, SightlineResponse } from './connection.ts';
export type { ChangedDocument, DocumentOperation, Visit } from './documents.ts';
export { SightlineError } from './error.ts';
export type { ErrorCode } from './error.ts';
export type { SightlineOptions } from './options.ts';
export { memoryStore } from './store.ts';
export type { ResponseStore, StoredResponse } from './store.ts';
