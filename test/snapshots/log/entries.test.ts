import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBundle, decodeEntry, encodeBundle, encodeEntry } from '../../../snapshots/log/entries.ts';
import type { LogEntry } from '../../../snapshots/log/entries.ts';
import { snapshotOf, workspaceOf } from './entries.ts';

const hash = 'a'.repeat(64);
const time = '2026-11-16T07:00:00.000Z';
const named = { workspaceId: workspaceOf(0), snapshotId: snapshotOf(1), history: hash };
const described = { methodologyVersion: '1.0', brands: 1, documents: 2, bytes: 3 };
const all: LogEntry[] = [
  { kind: 'published', at: time, ...named, sequence: 1, manifestSha256: hash, ...described },
  { kind: 'withdrawn', at: time, ...named, reason: 'mistaken' },
  { kind: 'heads', at: time, heads: hash },
];

describe('an entry', () => {
  test.each(all.map((entry) => [entry.kind, entry] as const))(
    'of the kind %s is read as it was written, in one form only',
    (_, entry) => {
      const bytes = encodeEntry(entry);
      expect(decodeEntry(bytes, 3)).toEqual(entry);
      const text = bytes.toString();
      const others = [
        `${text}\n`,
        ` ${text}`,
        text.replace('{', '{ '),
        text.replace('"at"', String.raw`"\u0061t"`),
        text.slice(0, -1),
        '',
      ];
      for (const other of others)
        expect(() => decodeEntry(Buffer.from(other), 3)).toThrow(/^entry 3 of the log/);
    },
  );

  test.each<[string, object]>([
    ['a sequence of 0', { sequence: 0 }],
    ['a workspace that is a path', { workspaceId: '../../etc' }],
    ['a snapshot that is a path', { snapshotId: '../x' }],
    ['a hash in capitals', { history: hash.toUpperCase() }],
    ['a time without a zone', { at: '2026-11-16T07:00:00' }],
  ])('with %s is refused', (_, other) => {
    const bytes = Buffer.from(JSON.stringify({ ...all[0], ...other }));
    expect(() => decodeEntry(bytes, 0)).toThrow(/^entry 0 of the log/);
  });
});

describe('a bundle', () => {
  const entries = fc.array(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    { maxLength: 20 },
  );

  test('that is cut, continued, or of another number of entries is refused', () => {
    fc.assert(
      fc.property(entries, fc.nat(), (some, at) => {
        const bytes = encodeBundle([...some, Buffer.from('last')]);
        const count = some.length + 1;
        const others = [
          bytes.subarray(0, at % bytes.length),
          Buffer.concat([bytes, Buffer.of(0)]),
          encodeBundle(some),
          encodeBundle([...some, Buffer.from('last'), Buffer.from('more')]),
        ];
        for (const other of others)
          expect(() => decodeBundle(other, count, 'it')).toThrow(`it is not a bundle of ${count} entries`);
      }),
    );
  });
});
