import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DockerfileParser, Env, From, Label } from 'dockerfile-ast';
import type { Instruction, JSONInstruction } from 'dockerfile-ast';
import { root } from '../docs/pages.ts';

/** The instructions of a Dockerfile that ours uses. */
export type Step =
  | { kind: 'from'; image: string }
  | { kind: 'add'; source: string; target: string }
  | { kind: 'run'; script: string }
  | { kind: 'env'; variables: Record<string, string> }
  | { kind: 'label'; variables: Record<string, string> }
  | { kind: 'workdir' | 'user'; value: string }
  | { kind: 'expose'; ports: string[] }
  | { kind: 'entrypoint' | 'cmd'; command: string[] };

/** @throws Error for an instruction that the tests cannot execute. */
export function readDockerfile(path: string): Step[] {
  const parsed = DockerfileParser.parse(readFileSync(join(root, path), 'utf8'));
  return parsed.getInstructions().map(stepOf);
}

function stepOf(instruction: Instruction): Step {
  const values = instruction.getExpandedArguments().map((argument) => argument.getValue());
  if (instruction instanceof From) return { kind: 'from', image: instruction.getImage()! };
  if (instruction instanceof Env || instruction instanceof Label) {
    const variables = instruction
      .getProperties()
      .map((property) => [property.getName(), property.getValue()!]);
    const kind = instruction instanceof Env ? 'env' : 'label';
    return { kind, variables: Object.fromEntries(variables) as Record<string, string> };
  }
  const keyword = instruction.getKeyword();
  if (keyword === 'ENTRYPOINT' || keyword === 'CMD') {
    const strings = (instruction as JSONInstruction).getJSONStrings().map((s) => s.getJSONValue());
    if (strings.length === 0) throw new Error(`${keyword} needs a shell; use the form with brackets`);
    return { kind: keyword === 'CMD' ? 'cmd' : 'entrypoint', command: strings };
  }
  if (keyword === 'ADD' && values.length === 2)
    return { kind: 'add', source: values[0]!, target: values[1]! };
  if (keyword === 'RUN') return { kind: 'run', script: instruction.getArgumentsContent()! };
  if (keyword === 'WORKDIR' || keyword === 'USER') {
    return { kind: keyword === 'USER' ? 'user' : 'workdir', value: values[0]! };
  }
  if (keyword === 'EXPOSE') return { kind: 'expose', ports: values };
  throw new Error(`${keyword}: unknown here`);
}
