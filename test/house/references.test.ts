import { expect, test } from 'vitest';
import { projectFiles, textOf } from './files.ts';

const sources = projectFiles().filter((path) => /\.(?:ts|js|sql|css|html|py|sh|yaml|md)$/.test(path));

/** Lines of the project that match, as `path:line text`. */
function linesWith(pattern: RegExp): string[] {
  return sources.flatMap((path) =>
    textOf(path)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
  );
}

test.each([/\bspec(?:ification)? \d/i, /\binputs\.md/, /\barchitecture, [A-Z]/])(
  'no line refers to a document that is not in the repository: %s',
  (pattern) => {
    expect(sources.length).toBeGreaterThan(400);
    expect(linesWith(pattern)).toEqual([]);
  },
);

test('every section of the methodology that a comment names exists', () => {
  const headings = textOf('docs/methodology.md').match(/(?<=^## ).*$/gm)!;
  const known = new RegExp(String.raw`\bmethodology[:,] (?:${headings.join('|')})\b`, 'i');
  const named = linesWith(/\bmethodology[:,] [A-Z]/);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((line) => !known.test(line))).toEqual([]);
});
