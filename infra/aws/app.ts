import { readParameters } from './parameters.ts';
import type { Parameters } from './parameters.ts';
import { checkedApp, sightline } from './sightline.ts';

const app = checkedApp();
const parameters = parametersOrNone();
if (parameters !== undefined) {
  sightline(app, parameters);
  app.synth();
}

/** The parameters in `cdk.context.json`; `--context tag=…` overrides the tag. Prints an error as one line. */
function parametersOrNone(): Parameters | undefined {
  const given: unknown = app.node.tryGetContext('sightline');
  const tag: unknown = app.node.tryGetContext('tag');
  try {
    return readParameters(given === undefined || tag === undefined ? given : { ...given, tag });
  } catch (error) {
    process.stderr.write(`sightline: ${(error as Error).message}\n`);
    process.exitCode = 1;
    return undefined;
  }
}
