import { mention, runId, sound, tracked } from '../records.ts';
import type { Files } from '../records.ts';

/** The workspace without a brand. */
export const other = 'aaaaaaaa-0000-4000-8000-000000000002';

const run = (n: number, cycle: string) =>
  sound.runs({
    id: runId(n),
    cycle_date: cycle,
    ran_at: `${cycle}T08:00:00Z`,
    mentions: n % 2 ? [mention()] : [],
  });

/** A drop of two workspaces: one brand with two weeks of runs, and a line that is refused. */
export const twoWorkspaces: Files = {
  ...tracked,
  'workspaces.ndjson': [sound.workspaces(), sound.workspaces({ id: other })],
  'runs.ndjson': [run(1, '2026-11-02'), run(2, '2026-11-09'), '{'],
};
