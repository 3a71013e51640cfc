import { expect, test } from 'vitest';
import { projectFiles, textOf } from '../house/files.ts';

interface Statement {
  Action: string;
  Resource: string[];
  Condition?: { Null: Record<string, string> };
}

/** The statements of a role's policy that allow this with an object. */
function allowing(role: string, action: string, object: string): Statement[] {
  const policy = JSON.parse(textOf(`infra/iam/${role}.json`)) as { Statement: Statement[] };
  return policy.Statement.filter(({ Action, Resource }) => Action === action && covers(Resource, object));
}

/** As in IAM, `*` is any text, including slashes. */
const covers = (patterns: readonly string[], object: string) =>
  patterns.some((pattern) => {
    const parts = pattern.split('*').map((part) => RegExp.escape(part));
    return new RegExp(`^${parts.join('.*')}$`).test(`arn:aws:s3:::acme-sightline-${object}`);
  });

/** The objects of a store and a lake after two deliveries and two weeks, as `BUCKET/KEY`. */
const objects = projectFiles().flatMap((path) => /^test\/frozen\/((?:store|lake)\/.*)/.exec(path)?.[1] ?? []);

test('each object may be written by one role, only by conditional writes, and replaced only if it moves', () => {
  expect(objects.length).toBeGreaterThan(50);
  for (const object of [...objects, 'audit/checkpoint']) {
    const writer = object.startsWith('audit/')
      ? 'auditor'
      : /^(?:store|lake\/log)\//.test(object)
        ? 'job'
        : 'ingest';
    const moves = /\/(?:checkpoint|committed\.json)$/.test(object);
    const own = moves ? ['s3:if-match', 's3:if-none-match'] : ['s3:if-none-match'];
    for (const role of ['auditor', 'backup', 'gateway', 'ingest', 'job']) {
      const conditions = allowing(role, 's3:PutObject', object).map(({ Condition }) => Condition?.Null);
      const writes = conditions.flatMap((each) => Object.keys(each ?? { any: '' })).toSorted();
      expect({ object, role, writes }).toEqual({ object, role, writes: role === writer ? own : [] });
    }
  }
});

test('the gateway may read all that it serves, and no inputs and no lake; the backup may read all', () => {
  const served = objects.filter((object) => /^store\/(?:workspaces|heads|log)\//.test(object));
  expect(objects.filter((object) => allowing('gateway', 's3:GetObject', object).length > 0)).toEqual(served);
  expect(objects.filter((object) => allowing('backup', 's3:GetObject', object).length === 0)).toEqual([]);
});
