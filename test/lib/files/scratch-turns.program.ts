/** Makes and removes a scratch folder TIMES times: `scratch-turns.program.ts PARENT TIMES`. */
import { makeScratch } from '../../../lib/files/scratch.ts';

const [parent, times] = process.argv.slice(2);
for (let turn = 0; turn < Number(times); turn += 1) {
  const scratch = await makeScratch('weekly', parent);
  await scratch[Symbol.asyncDispose]();
}
