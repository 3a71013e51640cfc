import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import manifest from '../../../clients/typescript/package.json' with { type: 'json' };
import { Sightline } from '../../../clients/typescript/src/index.ts';
import type { SightlineOptions } from '../../../clients/typescript/src/index.ts';
import { startServer } from '../../support/http-server.ts';

const KEY = `vis_${'0123456789ab'.repeat(4)}`;

const make = (options: Partial<SightlineOptions>) => () =>
  new Sightline({ baseUrl: 'http://127.0.0.1', apiKey: KEY, ...options });

describe('the constructor', () => {
  test('refuses a key that is empty or not possible in a header, and never shows it', () => {
    const missing = { code: 'missing_key', status: null, message: 'apiKey is missing or empty' };
    for (const apiKey of ['', undefined, null])
      expect(make({ apiKey: apiKey as string })).toThrow(expect.objectContaining(missing));
    expect(make({ apiKey: 'vis_secret\u0000' })).toThrow(expect.objectContaining({ code: 'invalid_key' }));
    expect(make({ apiKey: 'vis_secret\u0000' })).not.toThrow(/secret/);
  });

  const address = 'baseUrl must be an http or https address without a user';
  test.each<[object, string]>([
    [{ baseUrl: '' }, address],
    [{ baseUrl: 'ftp://example.com' }, address],
    [{ baseUrl: 'http://:word@a.example' }, address],
    [{ timeoutMs: NaN }, 'timeoutMs must be a number of milliseconds above 0'],
    [{ timeoutMs: 0 }, 'timeoutMs must be a number of milliseconds above 0'],
    [{ maxRetries: -1 }, 'maxRetries must be a number, 0 or more'],
    [{ userAgent: 'report\r\nx: y' }, 'userAgent must be printable ASCII'],
  ])('refuses %j, in words that name the option', (options, message) => {
    expect(make(options)).toThrow(new TypeError(message));
  });

  test('sends its name and version, after those of the program', async () => {
    const sent: unknown[] = [];
    const baseUrl = await startServer(({ headers }, response) => {
      sent.push(headers['user-agent']);
      response.end('{"data":[]}');
    });
    await make({ baseUrl, timeoutMs: Infinity })().listBrands();
    await make({ baseUrl, userAgent: 'monday-report/1.2' })().listBrands();
    const { version } = manifest;
    expect(sent).toEqual([`sightline-client/${version}`, `monday-report/1.2 sightline-client/${version}`]);
  });

  test('makes a client that never shows its key', async () => {
    const sightline = make({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 })();
    const error = await sightline.listBrands().catch((reason: unknown) => reason);
    expect(String(error)).toMatch(/ECONNREFUSED|bad port/);
    for (const shown of [
      inspect(sightline, { depth: 9, showHidden: true }),
      JSON.stringify(sightline),
      inspect(error),
    ])
      expect(shown).not.toContain(KEY.slice(4));
  });
});
