import { Command } from 'commander';
import type { StoreLocation } from '../../lib/config.ts';
import { openLake } from '../../lib/store/lake.ts';
import { lakeOption } from '../options.ts';
import { usableObjects } from './objects.ts';

/** For the auditor, who must not import the job (snapshots/recover/lost-inputs.ts). */
export function objectsCommand(): Command {
  return new Command('objects')
    .description('print the objects of the lake from which weeks can be computed again, as JSON')
    .addOption(lakeOption())
    .action(async (options: { lake: StoreLocation }) => {
      const objects = await usableObjects(await openLake(options.lake));
      process.stdout.write(`${JSON.stringify({ objects })}\n`);
    });
}
