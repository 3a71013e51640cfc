/**
 * The formats that this version reads and writes, which the doctor prints. The schema versions of the records are the
 * numbers of their migrations (gateway/records/schema.ts).
 */
export const formats = {
  /** The `format` of the lake's deliveries. */
  lake: 2,
  /** The `format` of the store's manifests. */
  store: 3,
  /** The version in every route of the API, and the oldest client that reads its responses. */
  api: 'v1',
  oldestClient: '0.1.0',
} as const;
