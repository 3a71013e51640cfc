import { expect, test } from 'vitest';
import { weekAsMarkdown } from '../../../clients/typescript/src/week-command.ts';
import { acme, publishBrands } from '../../gateway/snapshots.ts';
import { workspaceId } from '../../gateway/gateway.ts';
import { startAgency } from './agency.ts';

test('the week as Markdown takes one request, and no name becomes markup', async () => {
  const { gateway, wire } = await startAgency(1);
  const brands = [
    { ...acme, name: '# [Free](https://evil.example) <b>*now*</b>' },
    { ...acme, id: acme.id.replace(/.$/, '2'), name: 'Plain' },
  ];
  const asOf = '2026-11-23T06:00:00.000Z';
  const snapshot = await publishBrands(gateway.log, workspaceId, brands, asOf, { isWhole: true });
  await gateway.documents.refresh();
  const options = { baseUrl: wire.url, apiKey: gateway.key };
  const text = await weekAsMarkdown({ ...options, snapshot: undefined });
  expect(wire.exchanges.map(({ path }) => path)).toEqual(['/api/v1/week']);
  expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual([
    '# The week as of 2026-11-23',
    String.raw`## \# \[Free\]\(https://evil.example\) \<b\>\*now\*\</b\>`,
    '## Plain',
  ]);
  expect(text).toContain('No engine has answered a prompt of Plain yet.');
  expect(await weekAsMarkdown({ ...options, snapshot })).toBe(text);
  await expect(weekAsMarkdown({ ...options, snapshot: 'unknown' })).rejects.toMatchObject({
    code: 'not_found',
  });
});
