import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { runCommand } from '../cli.ts';
import { Failure, reasonOf } from '../failure.ts';
import { buildOpenApi } from './index.ts';

interface Options {
  out: string;
  check: boolean;
}

function openApiCommand(): Command {
  return new Command('openapi')
    .description('Sightline: writes the OpenAPI 3.1 description of the API.')
    .option('--out <file>', 'where to write it', 'docs/openapi.json')
    .option('--check', 'write nothing; exit with status 1 if the file is not up to date', false)
    .action(async ({ out, check }: Options) => {
      const text = `${JSON.stringify(buildOpenApi(), null, 2)}\n`;
      await (check ? compare(out, text) : write(out, text));
    });
}

async function compare(file: string, text: string): Promise<void> {
  const found = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Failure(`${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  });
  if (found !== text) throw new Failure(`${file} is not up to date; run: npm run openapi`);
}

async function write(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (error) {
    throw new Failure(`${file} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

await runCommand(openApiCommand, process.argv);
