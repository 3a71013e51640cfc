/** The address of a gateway with the default settings; used in docs/openapi.json. */
export const DEFAULT_ADDRESS = 'http://127.0.0.1:8080';
