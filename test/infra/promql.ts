import { parser } from '@prometheus-io/lezer-promql';

export interface Matcher {
  label: string;
  operator: string;
  value: string;
}

/** The metrics and labels of an expression. */
export interface Asked {
  metrics: { name: string; matchers: Matcher[] }[];
  /** Labels of `by`, `on` and the like. */
  groupings: string[];
  isAggregated: boolean;
}

/** @throws Error if it is not PromQL. */
export function parsePromql(expr: string): Asked {
  const asked: Asked = { metrics: [], groupings: [], isAggregated: false };
  let isGrouping = false;
  parser.parse(expr).iterate({
    enter({ name, type, from, to, node }) {
      const text = expr.slice(from, to);
      if (type.isError) throw new Error(`no PromQL at ${from}: ${expr}`);
      if (name === 'AggregateExpr') asked.isAggregated = true;
      if (name === 'VectorSelector') asked.metrics.push({ name: nameOf(text), matchers: [] });
      if (name === 'GroupingLabels') isGrouping = true;
      if (name === 'LabelName' && isGrouping) asked.groupings.push(text);
      if (name === 'UnquotedLabelMatcher') {
        const [label, operator, value] = ['LabelName', 'MatchOp', 'StringLiteral'].map((child) => {
          const found = node.getChild(child)!;
          return expr.slice(found.from, found.to);
        });
        const matcher = { label: label!, operator: operator!, value: value!.slice(1, -1) };
        asked.metrics.at(-1)!.matchers.push(matcher);
      }
    },
    leave({ name }) {
      if (name === 'GroupingLabels') isGrouping = false;
    },
  });
  return asked;
}

function nameOf(selector: string): string {
  return /^[\w:]*/.exec(selector)![0];
}
