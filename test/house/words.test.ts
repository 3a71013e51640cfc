import { expect, test } from 'vitest';
import { projectFiles, textOf } from './files.ts';

/** Words that readers stumble on, and what to write instead. Only words without a second, ordinary meaning here. */
const words: readonly (readonly [RegExp, string])[] = [
  [/\b(?:un)?spell(?:s|ed|er|ers)?\b|spell[A-Z]|\w*Spelled/g, 'format, serialize, encode, write'],
  [/\b(?:un)?told\b(?! apart)|\btoldOf\b/g, 'report, reported, called with'],
  [/\btell(?:s|ing)?\b(?! apart)/gi, 'report, return true if, distinguish'],
  [/\bwho(?:m)?ever\b/gi, 'the caller, the operator, a client'],
  [/\b(?:somebody|everybody)\b|\bnobody (?:may|else)\b/gi, 'the caller, the operator, a client'],
  [/\blikewise\b/gi, 'say it, or drop it'],
  [/\bdoubtful\b/gi, 'lines that fail validation; bulk read'],
  [/\buses of keys\b/gi, 'key usage, last-used times'],
  [/\bso (?:many|few)\b/gi, 'N per calendar minute, this number of'],
  [/\bfor programs\b/gi, 'machine-readable'],
  [/\bbeside\b(?!-)/gi, 'next to; alternate'],
  [/\bbelongs? into\b/gi, 'include in'],
  [/\bnever concerned\b/gi, 'was not affected'],
  [/\bheard of\b/gi, 'is reported'],
  [/\bhand(?:ed|s) out\b/gi, 'serve, return'],
  [/\banew\b/gi, 'again'],
  [/\bholds? against\b/gi, 'verify against, compare with'],
  [/\bwhat is no\b/gi, 'invalid, malformed, not a'],
  [/\brooms\b|\b(?:each|every|one|other) room\b/gi, 'module, package, layer'],
];

const isRead = (path: string) =>
  /^(?:README|CONTRIBUTING|CHANGELOG|docs\/|(?:infra|clients)\/[\w/-]+\.md|(?:clients\/\w+\/)?package\.json)/.test(
    path,
  )
    ? /\.(?:md|json)$/.test(path)
    : /^(?:gateway|lib|snapshots|jobs|clients)\/.*\.(?:ts|js|sql|css|html)$/.test(path);

test.each(words.map(([pattern, instead]) => ({ pattern, instead })))(
  'no page or source says $pattern',
  (word) => {
    const files = projectFiles().filter(isRead);
    expect(files.length).toBeGreaterThan(200);
    const found = files.flatMap((path) =>
      textOf(path)
        .split('\n')
        .flatMap((line, index) =>
          line.match(word.pattern) === null ? [] : [`${path}:${index + 1} ${line.trim()}`],
        ),
    );
    expect(found, `write instead: ${word.instead}`).toEqual([]);
  },
);
