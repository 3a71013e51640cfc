import { registerHooks } from 'node:module';

const source = new URL('../../../clients/typescript/src/', import.meta.url);

/**
 * Resolves `sightline-client` to its sources in this checkout: the built package may be older, and other tests rebuild
 * it at the same time.
 */
registerHooks({
  resolve: (specifier, context, next) => {
    const [name, entry = 'index', ...rest] = specifier.split('/');
    const isClient = name === 'sightline-client' && rest.length === 0;
    return next(isClient ? new URL(`${entry}.ts`, source).href : specifier, context);
  },
});
