import { expect, test } from 'vitest';
import {
  DOCUMENT_WAIT_MS,
  RECORDS_WAIT_MS,
  STORE_ATTEMPTS,
  STORE_SILENCE_MS,
} from '../../gateway/time-limits.ts';
import { textOf } from '../house/files.ts';

test('the gateway times out before nginx, and the store before the gateway', () => {
  const [, seconds] = /proxy_read_timeout (\d+)s;/.exec(textOf('infra/nginx/sightline.conf'))!;
  const longestWait = Math.max(...Object.values(RECORDS_WAIT_MS)) + DOCUMENT_WAIT_MS;
  expect(longestWait).toBeLessThan(Number(seconds) * 1000);
  expect(STORE_ATTEMPTS * STORE_SILENCE_MS).toBeLessThan(DOCUMENT_WAIT_MS);
});
