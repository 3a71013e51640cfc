import { printTable } from '../../../lib/cli.ts';
import { Failure } from '../../../lib/failure.ts';

/** What a benchmark demands: a share or a multiple of a baseline, or an amount that the name has the unit of. */
export interface Objective {
  name: string;
  measured: number;
  atLeast?: number;
  atMost?: number;
}

/** Prints the objectives with what was measured. @throws Failure that names those that were missed */
export function demandObjectives(objectives: readonly Objective[]): void {
  process.stdout.write('\n');
  printTable(
    objectives.map((objective) => ({
      objective: objective.name,
      measured: cell(objective.measured),
      'at least': cell(objective.atLeast),
      'at most': cell(objective.atMost),
      kept: isKept(objective) ? 'yes' : 'no',
    })),
  );
  const missed = objectives.filter((objective) => !isKept(objective));
  if (missed.length > 0) throw new Failure(`objectives missed: ${missed.map(({ name }) => name).join('; ')}`);
}

const cell = (value: number | undefined) => value?.toFixed(2) ?? null;

function isKept({ measured, atLeast = -Infinity, atMost = Infinity }: Objective): boolean {
  return measured >= atLeast && measured <= atMost;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** Reports progress on stderr. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
