/* For `node --import`: generators that need the compiler as a library get TypeScript 6; version 7 has none. */
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? 'typescript-6' : specifier, context),
});
