import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Accepts findings of the checks on a construct and its children.
 * @param findings rule → the reason why it does not apply here. Rules of AwsSolutions are named without that prefix,
 * with the finding in brackets if there are several (`IAM5[Resource::*]`); other rules as `CHECKS::RULE`.
 */
export function accept(construct: IConstruct, findings: Record<string, string>): void {
  for (const [rule, reason] of Object.entries(findings)) {
    const id = rule.includes('-Validate::') ? rule : `AwsSolutions-${rule}`;
    Validations.of(construct).acknowledge({ id, reason });
  }
}
