import { execFile } from 'node:child_process';

export interface Ran {
  /** The exit status; null if the program could not be started or was killed. */
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs another program, in the root folder: another user may not enter the present one. It never throws. */
export type Run = (program: string, args: readonly string[]) => Promise<Ran>;

export const run: Run = async (program, args) =>
  await new Promise((resolve) => {
    execFile(program, args, { cwd: '/', maxBuffer: Infinity }, (error, stdout, stderr) => {
      if (error === null) resolve({ status: 0, stdout, stderr });
      else if (typeof error.code === 'number') resolve({ status: error.code, stdout, stderr });
      else resolve({ status: null, stdout, stderr: error.message });
    });
  });
