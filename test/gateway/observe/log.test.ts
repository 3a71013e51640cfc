import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { accessLog } from '../../../gateway/observe/access-log.ts';
import { onceASecond } from '../../../gateway/observe/log.ts';
import type { Answered } from '../../../gateway/observe/observer.ts';

const answered = fc.record<Answered>({
  requestId: fc.stringMatching(/^[\w-]{13,24}$/),
  route: fc.constantFrom('listBrands', 'getVisibility', 'none'),
  status: fc.constantFrom(200, 304, 404, 429, 500),
  workspaceId: fc.option(fc.string({ unit: 'binary', maxLength: 60 })),
  keyId: fc.option(fc.nat(20)),
  ms: fc.double({ min: 0, max: 100_000, noNaN: true }),
});

test('a line of the request log is JSON with the fields of its request, for any values and order of requests', () => {
  fc.assert(
    fc.property(fc.array(answered, { maxLength: 700 }), (requests) => {
      const written: Buffer[] = [];
      const log = accessLog((lines) => void written.push(lines));
      for (const request of requests) log.answered(request);
      log.flush();
      log.flush(); // nothing is written twice
      expect(written.length).toBeLessThan(10);
      const lines = Buffer.concat(written).toString('utf8').split('\n');
      expect(lines.pop()).toBe('');
      const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(told).toEqual(
        requests.map(({ ms, ...request }) => ({
          level: 30,
          time: expect.any(Number) as number,
          ...request,
          workspaceId: request.workspaceId?.toWellFormed() ?? null,
          ms: Math.round(ms * 100) / 100,
          msg: 'answered',
        })),
      );
    }),
  );
});

test('frequent events are written once a second, with the number of omitted ones', () => {
  let now = 0;
  const written: [string, number][] = [];
  const write = onceASecond<string>(
    (detail, omitted) => void written.push([detail, omitted]),
    () => now,
  );
  for (const detail of ['a', 'b', 'c']) write(detail);
  now = 999;
  write('d');
  now = 1000;
  write('e');
  now = 5000;
  write('f');
  expect(written).toEqual([
    ['a', 0],
    ['e', 3],
    ['f', 0],
  ]);
});
