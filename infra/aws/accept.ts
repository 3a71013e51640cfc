import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Leaves findings of the checks as they are, on a construct and what is in it.
 * @param findings rule → the reason why it does not hold here. A rule of AwsSolutions goes without that name, with a
 * finding in brackets if it has several (`IAM5[Resource::*]`); any other has the name of its checks and `::` before it.
 */
export function accept(construct: IConstruct, findings: Record<string, string>): void {
  for (const [rule, reason] of Object.entries(findings)) {
    const id = rule.includes('-Validate::') ? rule : `AwsSolutions-${rule}`;
    Validations.of(construct).acknowledge({ id, reason });
  }
}
