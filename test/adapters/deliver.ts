/** How black-box tests deliver drops to a lake: `ingest`, as a function or as a command line. */
export { deliver, rejectsOf } from '../jobs/jobs.ts';
export { runHere } from '../support/command-line.ts';
