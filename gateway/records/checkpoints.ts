import { Failure } from '../../lib/failure.ts';
import { isoOf } from './management.ts';
import type { KeptCheckpoint, Records } from './records.ts';
import type { RunSql } from './sql.ts';

/** The memory of gateways, for either database. */
export type CheckpointMemory = Pick<
  Records,
  'readCheckpoint' | 'keepCheckpoint' | 'listCheckpoints' | 'forgetCheckpoint'
>;

/** A row of list-checkpoints.sql. */
type CheckpointRow = Omit<KeptCheckpoint, 'keptAt'> & { keptAt: Date | string };

export function checkpointMemory(rows: RunSql): CheckpointMemory {
  const list = async (origin: string | null): Promise<KeptCheckpoint[]> =>
    (await rows<CheckpointRow>('sql/list-checkpoints', origin)).map(({ keptAt, ...row }) => ({
      ...row,
      keptAt: isoOf(keptAt),
    }));
  return {
    readCheckpoint: async (origin) => (await list(origin))[0]?.note ?? null,
    keepCheckpoint: async (origin, size, note) =>
      void (await rows('sql/keep-checkpoint', origin, size, note)),
    listCheckpoints: async () => await list(null),
    async forgetCheckpoint(origin) {
      const [known] = await list(origin);
      const forgotten = await rows('sql/forget-checkpoint', origin);
      if (known === undefined || forgotten.length === 0)
        throw new Failure(`no checkpoint is kept of the log ${origin}`);
      return known;
    },
  };
}
