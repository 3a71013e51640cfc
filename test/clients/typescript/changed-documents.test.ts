import { expect, test } from 'vitest';
import type { Visit } from '../../../clients/typescript/src/index.ts';
import { workspaceId } from '../../gateway/gateway.ts';
import { publishBrands } from '../../gateway/snapshots.ts';
import { numberedBrands, startAgency } from './agency.ts';

const operations = [
  'getCompetitors',
  'getResults',
  'getSources',
  'getStability',
  'getTimeline',
  'getVisibility',
  'listPrompts',
];

test('names every document at first, nothing on the next days, and what changed on the next Monday', async () => {
  const { client, gateway, brands, wire } = await startAgency(3);
  const sightline = client({ store: null });
  const first = await sightline.changedDocuments(null);
  expect(first.brands).toEqual(brands);
  expect(first.changed).toHaveLength(operations.length * brands.length);
  const [brand] = brands;
  const ofOne = first.changed.filter(({ brandId }) => brandId === brand!.id);
  expect(ofOne.map(({ operation }) => operation).toSorted()).toEqual(operations);
  for (const { operation, brandId } of ofOne) {
    const { data } = await sightline[operation](brandId);
    expect(data.brand.id).toBe(brand!.id);
  }

  wire.exchanges.length = 0;
  const kept = JSON.parse(JSON.stringify(first.visit)) as Visit;
  expect(await sightline.changedDocuments(kept)).toEqual({ brands, changed: [], visit: kept });
  expect(wire.exchanges.map(({ path }) => path)).toEqual(['/api/v1/brands']);

  const newcomer = numberedBrands(4).at(-1)!;
  const renamed = [{ ...brand!, name: 'Renamed' }, ...brands.slice(2), newcomer];
  const next = await publishBrands(gateway.log, workspaceId, renamed, '2026-11-23T06:00:00.000Z');
  await gateway.documents.refresh();
  wire.exchanges.length = 0;
  const monday = await sightline.changedDocuments(kept);
  expect(wire.exchanges.map(({ path }) => path)).toEqual([
    '/api/v1/brands',
    `/api/v1/snapshots/${next}/proof`,
  ]);
  expect(monday.visit!.snapshotId).toBe(next);
  const named = (id: string) => monday.changed.filter(({ brandId }) => brandId === id).length;
  expect([named(brand!.id), named(newcomer.id)]).toEqual([operations.length, operations.length]);
  expect(monday.changed).toHaveLength(2 * operations.length);
});
