import { sha256 } from '../../lib/hash.ts';
import type { WeeklyOptions } from '../weekly/weekly.ts';

/** The name of a choice of workspaces. Schedulers of one scope take turns; each shard has a schedule of its own. */
export function scopeOf({ workspaces, shard }: Pick<WeeklyOptions, 'workspaces' | 'shard'>): string {
  const parts: string[] = [];
  if (shard !== undefined) parts.push(`shard-${shard.index}-of-${shard.count}`);
  if (workspaces !== undefined) {
    const ids = [...new Set(workspaces)].toSorted().join(' ');
    parts.push(`workspaces-${sha256(ids).slice(0, 16)}`);
  }
  return parts.length === 0 ? 'all' : parts.join('-');
}
