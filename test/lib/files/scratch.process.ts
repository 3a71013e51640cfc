/** Makes a scratch folder, prints its path, and keeps it until it is killed: `scratch.process.ts PARENT`. */
import { makeScratch } from '../../../lib/files/scratch.ts';

const scratch = await makeScratch('weekly', process.argv[2]);
process.stdout.write(`${scratch.path}\n`);
setInterval(() => undefined, 1e9);
