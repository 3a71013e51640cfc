/** The part of negotiator 1.1 that is used here; its published types describe version 0.6. */
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { headers: Record<string, string> });
    /** The available codings that the client accepts, best first; `preferred` orders those of equal quality. */
    encodings<Name extends string>(
      available: readonly Name[],
      options?: { preferred: readonly Name[] },
    ): Name[];
  }
}
