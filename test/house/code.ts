import { parseSync } from 'oxc-parser';
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

/** The imports of files and of all files that these import, as far as `follow` says. */
export function importsBelow(files: readonly string[], follow: (to: string) => boolean): Import[] {
  const seen = new Set(files);
  const found: Import[] = [];
  for (const file of seen) {
    const imports = importsOf(file);
    found.push(...imports);
    for (const { to } of imports) if (to.endsWith('.ts') && follow(to)) seen.add(to);
  }
  return found;
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier);
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
