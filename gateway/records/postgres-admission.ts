import { minuteEndsAt, secondsUntil } from './minute.ts';
import { isLockTimeout } from './postgres-database.ts';
import type { PostgresDatabase, RunAdmission } from './postgres-database.ts';
import type { CountedStanding, KeyStanding, KeyUse } from './records.ts';

type Admit = (uses: readonly KeyUse[]) => Promise<KeyStanding[]>;

/**
 * Admits batches. Where another transaction keeps the count of a workspace locked, the keys of that workspace alone
 * are busy. The first batch finds out by waiting for a lock; while a key is known to be busy nothing waits for it.
 */
export function postgresAdmission(database: PostgresDatabase): Admit {
  const busy = new Set<string>();

  const admit: Admit = async (uses) => {
    const isKnown = uses.some(({ hash }) => busy.has(hash));
    if (isKnown) return await admitFree(uses, true);
    try {
      return await ask(database.admit, uses);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      return await admitFree(uses, false);
    }
  };

  /** @param again true where a lock on a key that is not known to be busy is taken for a passing one */
  const admitFree = async (uses: readonly KeyUse[], again: boolean): Promise<KeyStanding[]> => {
    const standings = await askAboutFree(database, uses);
    const waiting = uses.filter(({ hash }, n) => again && isBusy(standings[n]!) && !busy.has(hash));
    const later = waiting.length === 0 ? [] : await admit(waiting);
    for (const [n, { hash }] of uses.entries()) {
      const place = waiting.findIndex((use) => use.hash === hash);
      if (place !== -1) standings[n] = later[place]!;
      else if (isBusy(standings[n]!)) busy.add(hash);
      else busy.delete(hash);
    }
    return standings;
  };

  return admit;
}

function isBusy(standing: KeyStanding): boolean {
  return standing?.standing === 'busy';
}

/** Locks what is free and admits it, in one transaction that waits for nobody. */
async function askAboutFree(database: PostgresDatabase, uses: readonly KeyUse[]): Promise<KeyStanding[]> {
  return await database.admitApart(async ({ rows, admit }) => {
    const locked = await rows<{ hash: string }>('lock-counts', hashesOf(uses));
    const hashes = new Set(locked.map(({ hash }) => hash));
    const free = uses.filter(({ hash }) => !hashes.has(hash));
    const standings = free.length === 0 ? [] : await ask(admit, free);
    return uses.map(({ hash }) =>
      hashes.has(hash) ? BUSY : standings[free.findIndex((use) => use.hash === hash)]!,
    );
  });
}

const BUSY: KeyStanding = { standing: 'busy' };

async function ask(admit: RunAdmission, uses: readonly KeyUse[]): Promise<KeyStanding[]> {
  return uses.length === 1 ? await askOne(admit, uses[0]!) : await askAll(admit, uses);
}

/** As the select list of admit-one.sql has them. */
type OneRow = [
  keyId: string,
  workspaceId: string,
  limit: string | null,
  isRevoked: string,
  used: string,
  minute: string,
  now: string,
  synchronousCommit: string,
];

async function askOne(admit: RunAdmission, { hash, requests }: KeyUse): Promise<KeyStanding[]> {
  const [row] = (await admit('admit-one', hash, String(requests))) as OneRow[];
  if (row === undefined) return [null];
  const [keyId, workspaceId, limit, isRevoked, used, minute, now] = row;
  const key = { keyId: Number(keyId), workspaceId };
  return [standingOf(key, isRevoked, limit, () => minuteAt(minute, used, now))];
}

/** As the select list of admit.sql has them. */
type ListsRow = [...lists: (string | null)[], now: string, synchronousCommit: string];

async function askAll(admit: RunAdmission, uses: readonly KeyUse[]): Promise<KeyStanding[]> {
  const requests = `{${uses.map((use) => use.requests).join(',')}}`;
  const [row] = (await admit('admit', hashesOf(uses), requests)) as [ListsRow];
  const now = row.at(-2)!;
  const [places, keyIds, workspaces, workspaceIds, limits, revoked, counted, used, minutes] = row
    .slice(0, -2)
    .map(membersOf) as Lists;
  const minuteOf = new Map(counted.map((workspace, n) => [workspace, minuteAt(minutes[n]!, used[n]!, now)]));
  const standings: KeyStanding[] = uses.map(() => null);
  for (let n = 0; n < places.length; n++) {
    const key = { keyId: Number(keyIds[n]), workspaceId: workspaceIds[n]! };
    const limit = limits[n] === 'NULL' ? null : limits[n]!;
    standings[Number(places[n]) - 1] = standingOf(key, revoked[n]!, limit, () =>
      minuteOf.get(workspaces[n]!)!,
    );
  }
  return standings;
}

type List = readonly string[];
type Lists = [List, List, List, List, List, List, List, List, List];

/** Numbers, ids and truth values need no quotes. */
function membersOf(list: string | null): List {
  return list === null ? [] : list.slice(1, -1).split(',');
}

type Minute = Pick<CountedStanding, 'used' | 'minuteEnds' | 'secondsLeft'>;

function minuteAt(minute: string, used: string, now: string): Minute {
  const minuteEnds = minuteEndsAt(Number(minute));
  return { used: Number(used), minuteEnds, secondsLeft: secondsUntil(minuteEnds, Number(now) * 1000) };
}

function standingOf(
  key: { keyId: number; workspaceId: string },
  isRevoked: string,
  limit: string | null,
  minute: () => Minute,
): KeyStanding {
  if (isRevoked === 't') return { standing: 'revoked', ...key };
  if (limit === null) return { standing: 'plan_required', ...key };
  return { standing: 'counted', ...key, limit: Number(limit), ...minute() };
}

/** A list of bytea in PostgreSQL's text format. */
function hashesOf(uses: readonly KeyUse[]): string {
  return `{${uses.map(({ hash }) => `"\\\\x${hash}"`).join(',')}}`;
}
