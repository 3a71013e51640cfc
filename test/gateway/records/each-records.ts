import { afterEach, beforeEach, expect } from 'vitest';
import { newKey, storedForm } from '../../../gateway/records/keys.ts';
import type { StoredKey } from '../../../gateway/records/keys.ts';
import type { Records, WorkspaceRecord } from '../../../gateway/records/records.ts';
import type { KeyStanding } from '../../../gateway/records/standing.ts';

export interface RecordsFixture {
  /** Opens the same records once more, as another process would. */
  open(): Promise<Records>;
  /** All stored data as text, to search for data that must not be stored. */
  dump(): Promise<string>;
  /** Deletes all counts, as a restore without them does. */
  loseCounts(): Promise<void>;
  /** Sets all counts, as if last changed in the minute that many from now. @returns the minute now, since 1970 */
  setCounts(requests: number, minutesFromNow: number): Promise<number>;
}

export const one = '11111111-1111-4111-8111-111111111111';
export const two = '22222222-2222-4222-8222-222222222222';

/** Records for each test, and helpers for common queries. */
export interface EachRecords {
  fixture: RecordsFixture;
  records: Records;
  setPlan: (plan: string, requestsPerMinute?: number | null, id?: string) => Promise<WorkspaceRecord>;
  makeKey: (id?: string) => Promise<StoredKey>;
  /** One request of each key, in one batch. */
  admit: (...hashes: string[]) => Promise<KeyStanding[]>;
  standingOf: (hash: string, requests?: number) => Promise<KeyStanding>;
}

/** Fixture and records are filled when a test begins. */
export function eachRecords(makeFixture: () => Promise<RecordsFixture>): EachRecords {
  const each = {} as EachRecords;
  beforeEach(async () => {
    each.fixture = await makeFixture();
    each.records = await each.fixture.open();
  });
  afterEach(() => each.records.close());
  each.setPlan = async (plan, requestsPerMinute = null, id = one) =>
    await each.records.setWorkspace({ id, name: 'One', plan, requestsPerMinute });
  each.makeKey = async (id = one) => {
    const stored = storedForm(newKey());
    expect(await each.records.createKey(id, stored, null)).not.toBeNull();
    return stored;
  };
  each.admit = async (...hashes) => await each.records.admit(hashes.map((hash) => ({ hash, requests: 1 })));
  each.standingOf = async (hash, requests = 1) => (await each.records.admit([{ hash, requests }]))[0]!;
  return each;
}

/** The number of counted requests of one workspace, also if a minute ends in between and the count starts at zero. */
export function requestsOf(standings: readonly (KeyStanding | undefined)[]): number {
  const used = new Map<number, number>();
  for (const standing of standings) {
    if (standing?.refused !== null) throw new Error(`not counted, but ${standing?.refused}`);
    used.set(standing.minuteEnds, Math.max(used.get(standing.minuteEnds) ?? 0, standing.used));
  }
  return [...used.values()].reduce((sum, count) => sum + count, 0);
}
