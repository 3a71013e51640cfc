import { expect, test } from 'vitest';
import { createLog, onceASecond } from '../../../gateway/observe/log.ts';

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

test('many refusals do not flood the log', () => {
  const lines: string[] = [];
  const { observer } = createLog('warn', {
    write: (line) => void lines.push(String(line)),
    flush: async () => undefined,
    droppedLines: () => 0,
  });
  for (let n = 0; n < 1000; n++) {
    observer.admissionFailed(new Error('more than 10000 requests wait for the records'));
    observer.connectionRefused('too_many_connections');
  }
  expect(lines.length).toBeLessThan(10);
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toContain(
    'a connection was refused',
  );
});
