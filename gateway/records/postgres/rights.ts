import { Failure } from '../../../lib/failure.ts';

/** The row of show-rights.sql. */
export interface Rights {
  is_standby: boolean;
  is_read_only: boolean;
  may_admit: boolean;
  may_manage: boolean;
}

/** Why a gateway cannot admit requests with these rights, and the remedy; null if it can. */
export function obstacleIn(rights: Rights): { found: string; remedy: string } | null {
  if (rights.is_standby) {
    return {
      found: 'this server is a standby',
      remedy: 'name the primary in RECORDS_URL: every request is counted',
    };
  }
  if (rights.is_read_only) {
    return {
      found: 'transactions are read-only here',
      remedy: 'alter database … set default_transaction_read_only = off',
    };
  }
  if (rights.may_admit) return null;
  return {
    found: 'this user may not count requests, or not keep checkpoints',
    remedy:
      'grant select on all tables in schema sightline, insert, update on sightline.minute_counts and sightline.checkpoints, and update (last_used_at) on sightline.keys to the user of RECORDS_URL',
  };
}

/** @throws Failure if a gateway could not admit requests. */
export function demandRights(name: string, [rights]: readonly Rights[]): void {
  const obstacle = obstacleIn(rights!);
  if (obstacle !== null)
    throw new Failure(`${name} cannot be written: ${obstacle.found} (${obstacle.remedy})`);
}
