import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { StoreLocation } from '../../../lib/config.ts';
import { markLake } from '../../../lib/store/lake.ts';
import { openStore } from '../../../lib/store/open.ts';
import { withCommitParts } from '../../../snapshots/log/write/parts.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { publishAll } from './places.ts';

const KEY = '.data/keys/sightline.private.pem';
let root: string;
let locations: { store: StoreLocation; lake: StoreLocation };

beforeEach(async () => {
  root = await temporaryFolder();
  const before = process.cwd();
  process.chdir(root);
  onTestFinished(() => process.chdir(before));
  const at = (name: string): StoreLocation => ({ kind: 'directory', path: join(root, '.data', name) });
  locations = { store: at('store'), lake: at('lake') };
  await markLake(openStore(locations.lake));
});

async function publish(week: number): Promise<void> {
  await withCommitParts(locations, async (parts) => await publishAll(parts, week, [0]), { mayMakeKey: true });
}

test('the first publication makes a key, and a lost one is named, not replaced', async () => {
  await publish(0);
  await publish(1);
  expect(existsSync(KEY)).toBe(true);
  await rm('.data/keys', { recursive: true });
  const named =
    /sightline\.private\.pem is missing, and the log sightline\.local\/log was signed before: put the key back/;
  await expect(publish(2)).rejects.toThrow(named);
  await rm('.data/store', { recursive: true });
  await expect(publish(2)).rejects.toThrow(named);
  expect(existsSync('.data/keys')).toBe(false);
});

test('a store whose lake is new is not signed with a new key either', async () => {
  await publish(0);
  await rm('.data/keys', { recursive: true });
  await rm('.data/lake/log', { recursive: true });
  await expect(publish(1)).rejects.toThrow(/was signed before/);
});
