import type { Template } from 'aws-cdk-lib/assertions';
import { resources, textOf } from './deployed.ts';

interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: { Null?: Record<string, string> };
}

/** A request to S3: the action, and its conditional header, if any. */
export interface Wish {
  action: string;
  header?: 's3:if-match' | 's3:if-none-match';
}

/** `Store/workspaces/…`: the bucket by its name in the stacks, and a key. */
export type ObjectName = string;

/** True if a managed policy of the storage stack, found by the beginning of its name, allows a request. */
export function allows(
  template: Template,
  policy: string,
  { action, header }: Wish,
  object: ObjectName,
): boolean {
  const [, resource] = Object.entries(resources(template, 'AWS::IAM::ManagedPolicy')).find(([name]) =>
    name.startsWith(policy),
  )!;
  const { Statement } = resource.Properties['PolicyDocument'] as { Statement: Statement[] };
  return Statement.some(
    (statement) =>
      statement.Effect === 'Allow' &&
      list(statement.Action).includes(action) &&
      list(statement.Resource).some((pattern) => matches(shortened(textOf(pattern)), object)) &&
      Object.entries(statement.Condition?.Null ?? {}).every(
        ([key, value]) => (key === header) === (value === 'false'),
      ),
  );
}

/** `<Store1D2A845B.Arn>/x` → `Store/x`. */
function shortened(arn: string): string {
  return arn.replace(/^<([A-Za-z]+?)[0-9A-F]{8}\.Arn>/, '$1');
}

/** Matches as IAM does: `*` is any text, including slashes. */
function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.?+^$[\](){}|\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}

function list<T>(value: T | T[]): T[] {
  return Array.isArray(value) ? value : [value];
}
