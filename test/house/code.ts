import { parseSync, Visitor } from 'oxc-parser';
import { posix } from 'node:path';
import { textOf } from './files.ts';

export interface Import {
  /** The file that imports. */
  from: string;
  /** A path from the root, `node:…`, or the name of a package without what follows it. */
  to: string;
  /** False for `import type`, which does not exist at run time. */
  isValue: boolean;
}

/** Everything that a file imports, re-exports or loads later. */
export function importsOf(file: string): Import[] {
  const text = textOf(file);
  const { module, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]!.message}`);
  const imported = module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    isValue: entries.length === 0 || entries.some((entry) => !entry.isType),
  }));
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) =>
      moduleRequest === null ? [] : [{ specifier: moduleRequest.value, isValue: !isType }],
    ),
  );
  const loaded = module.dynamicImports.map(({ moduleRequest: { start, end } }) => ({
    specifier: text.slice(start + 1, end - 1),
    isValue: true,
  }));
  return [...imported, ...exported, ...loaded].map(({ specifier, isValue }) => ({
    from: file,
    to: targetOf(file, specifier),
    isValue,
  }));
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier);
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** True for a file that reads the environment: `process.env`, `process['env']`, `{ env } = process`, `node:process`. */
export function readsEnvironment(file: string): boolean {
  const { program } = parseSync(file, textOf(file));
  let found = importsOf(file).some(({ to }) => to === 'node:process' || to === 'process');
  new Visitor({
    MemberExpression: ({ object, property }) => {
      if (object.type === 'Identifier' && object.name === 'process' && nameOf(property) === 'env')
        found = true;
    },
    VariableDeclarator: ({ id, init }) => {
      if (id.type !== 'ObjectPattern' || init?.type !== 'Identifier' || init.name !== 'process') return;
      // A computed name or a rest element may read everything, so it counts.
      if (id.properties.some((p) => p.type !== 'Property' || nameOf(p.key) === 'env' || p.computed))
        found = true;
    },
  }).visit(program);
  return found;
}

function nameOf(node: { type: string }): unknown {
  return 'value' in node ? node.value : 'name' in node ? node.name : null;
}
