import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import type { App, Stack } from 'aws-cdk-lib';
import { generateKeyPair } from '../../../snapshots/signing.ts';
import { readParameters } from '../parameters.ts';
import type { Parameters } from '../parameters.ts';
import { checkedApp, sightline } from '../sightline.ts';

/** A placeholder for the certificates of RDS. */
export const AUTHORITY = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

/** Placeholders for the operator's keys. */
export const PUBLIC_KEY = generateKeyPair().publicPem;
export const OTHER_KEY = generateKeyPair().publicPem;

/** The content of the example's files, by name. */
export function readExample(path: string): string {
  if (path === 'other.public.pem') return OTHER_KEY;
  return path.endsWith('.public.pem') ? PUBLIC_KEY : AUTHORITY;
}

interface Example {
  sightline: Record<string, unknown>;
}

const folder = join(import.meta.dirname, '..');
export const example = (JSON.parse(readFileSync(join(folder, 'cdk.context.example.json'), 'utf8')) as Example)
  .sightline;

export function parametersWith(changes: Record<string, unknown> = {}): Parameters {
  return readParameters({ ...example, ...changes }, readExample);
}

export type Name = keyof ReturnType<typeof sightline>;

/** The deployment of the example with some changes. */
export function deployed(changes: Record<string, unknown> = {}) {
  const app: App = checkedApp();
  const stacks: Record<Name, Stack> = sightline(app, parametersWith(changes));
  const templates = new Map<Name, Template>();
  const template = (name: Name): Template => {
    const known = templates.get(name) ?? Template.fromStack(stacks[name]);
    templates.set(name, known);
    return known;
  };
  return { app, stacks, template };
}

export interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
}

/** All resources of a type, by their name in the template. */
export function resources(template: Template, type: string): Record<string, Resource> {
  return template.findResources(type) as Record<string, Resource>;
}

/** A value of a template as text, with CloudFormation's references as `<Name>` or `<Name.Attribute>`. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const [[kind, of] = []] = Object.entries(value as Record<string, unknown>);
  if (kind === 'Ref') return `<${of as string}>`;
  if (kind === 'Fn::GetAtt') return `<${(of as string[]).join('.')}>`;
  if (kind === 'Fn::ImportValue') return `<${textOf(of).replace(/^.*:ExportsOutput(Ref|FnGetAtt)/, '')}>`;
  if (kind === 'Fn::Join')
    return (of as [string, unknown[]])[1].map(textOf).join((of as [string, unknown[]])[0]);
  throw new Error(`not a text: ${JSON.stringify(value)}`);
}

export interface Container {
  Name: string;
  Command: string[];
  EntryPoint?: string[];
  Environment: { Name: string; Value: unknown }[];
  Secrets?: { Name: string; ValueFrom: unknown }[];
  ReadonlyRootFilesystem?: boolean;
  DependsOn?: unknown;
  User?: string;
}

/** The containers of the only task of a template, by name. */
export function containers(template: Template): Record<string, Container> {
  const [task] = Object.values(resources(template, 'AWS::ECS::TaskDefinition'));
  const all = task!.Properties['ContainerDefinitions'] as Container[];
  return Object.fromEntries(all.map((container) => [container.Name, container]));
}

export function environmentOf({ Environment }: Pick<Container, 'Environment'>): Record<string, string> {
  return Object.fromEntries(Environment.map(({ Name, Value }) => [Name, textOf(Value)]));
}

/** Asserts that there is a resource of a type with these properties. @throws with the most similar one */
export function expectResource(template: Template, type: string, properties: Record<string, unknown>): void {
  template.hasResourceProperties(type, properties);
}
