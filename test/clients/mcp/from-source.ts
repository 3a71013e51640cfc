import { registerHooks } from 'node:module';

const source = new URL('../../../clients/typescript/src/', import.meta.url);

/**
 * Makes `sightline-client` that of the checkout as it is now: what is built may be older, and other tests build it
 * again meanwhile.
 */
registerHooks({
  resolve: (specifier, context, next) => {
    const [name, entry = 'index', ...rest] = specifier.split('/');
    const isClient = name === 'sightline-client' && rest.length === 0;
    return next(isClient ? new URL(`${entry}.ts`, source).href : specifier, context);
  },
});
