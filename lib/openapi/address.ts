/** Where a gateway with the default settings is; the address in docs/openapi.json. */
export const DEFAULT_ADDRESS = 'http://127.0.0.1:8080';
