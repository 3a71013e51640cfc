import { expect, test } from 'vitest';
import { judge, minutesOf } from './judge.ts';
import type { Outcome } from './load.ts';
import type { Published } from './published.ts';

const [old, current] = ['old', 'new'].map(
  (snapshotId): Published =>
    new Map([['w', { snapshotId, documents: new Map([['brands.json', `${snapshotId} bytes`]]) }]]),
) as [Published, Published];
const headers = { 'x-ratelimit-limit': '9', 'x-ratelimit-reset': '120', 'x-snapshot-id': 'new', etag: 't' };

/** A correct response from the new snapshot, with the given changes. */
function outcome(other: Partial<Outcome> = {}): Outcome {
  const document = { workspaceId: 'w', path: 'brands.json' };
  const ask = { path: '/p', key: 'k', document, expected: [200, 304, 429], isLimited: true };
  const timing = { sentAt: 1000, doneAt: 1010 };
  const answer = { status: 200, trouble: null, headers, sha256: 'new bytes', text: null, tag: 't' };
  return { ask, ...timing, ...answer, ...other };
}

const judged = (...outcomes: Outcome[]) => judge(outcomes, [old, current], [{ from: 2000, to: 3000 }]);
const body = '{"error":{"code":"internal","message":"x"}}';
const error = (sentAt: number) =>
  outcome({ status: 500, headers: {}, text: body, sentAt, doneAt: sentAt + 10 });

test('responses from either snapshot are correct, and so are errors during an outage', () => {
  const fromOld = outcome({ headers: { ...headers, 'x-snapshot-id': 'old' }, sha256: 'old bytes' });
  const verdict = judged(outcome(), fromOld, outcome({ status: 304 }), error(1995), error(2999));
  expect(verdict).toMatchObject({ wrong: [], unexplained: [], served: [1, 1] });
});

test.each([
  ['the bytes of the other snapshot', outcome({ sha256: 'old bytes' })],
  ['a snapshot that was not published', outcome({ headers: { ...headers, 'x-snapshot-id': 'lost' } })],
  ['a 304 for another tag', outcome({ status: 304, tag: 'another' })],
  ['a status that its key cannot get', outcome({ status: 404, headers: {}, text: body })],
  ['no allowance', outcome({ headers: { 'x-snapshot-id': 'new' } })],
  ['no Retry-After', outcome({ status: 429, text: body })],
  ['an error without its body', { ...error(2500), text: '<html>' }],
])('%s is wrong', (_what, answer) => {
  expect(judged(outcome(), answer).wrong).toHaveLength(1);
});

test('an error or a missing response before or after an outage is not explained', () => {
  const lost = outcome({ status: 0, trouble: 'socket hang up', headers: {}, sha256: '' });
  expect(judged(error(1900), error(3001), lost).unexplained).toHaveLength(3);
});

test('a minute counts admitted requests, except those that a killed database may forget', () => {
  const at = (sentAt: number, reset: string) =>
    outcome({ sentAt, doneAt: sentAt + 10, headers: { ...headers, 'x-ratelimit-reset': reset } });
  const refused = outcome({ status: 429 });
  const given = [at(50_000, '60'), at(70_000, '120'), at(79_000, '120'), at(81_000, '120'), refused];
  expect(minutesOf(given, 80_000)).toEqual([
    { endsAt: 60, given: 1, forgiven: 0 },
    { endsAt: 120, given: 3, forgiven: 1 },
  ]);
});
