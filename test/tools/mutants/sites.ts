import { parseSync, Visitor } from 'oxc-parser';
import type { Node } from 'oxc-parser';

/** One small change of a file: the text from `start` to `end` becomes `replacement`. */
export interface Mutant {
  file: string;
  line: number;
  start: number;
  end: number;
  replacement: string;
}

const otherOperators: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
};

/** One more changes nothing that a test could see in a duration or a size. */
const LARGEST_NUMBER = 100;

/** All mutants of a TypeScript or SQL file. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const found = file.endsWith('.sql') ? mutantsOfSql(text) : mutantsOfTypeScript(file, text);
  return found.map((mutant) => ({
    ...mutant,
    file,
    line: text.slice(0, mutant.start).split('\n').length,
  }));
}

export function mutate(text: string, { start, end, replacement }: Omit<Mutant, 'file' | 'line'>): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

type Change = Pick<Mutant, 'start' | 'end' | 'replacement'>;

function mutantsOfTypeScript(file: string, text: string): Change[] {
  const changes: Change[] = [];
  const add = (start: number, end: number, replacement: string) => changes.push({ start, end, replacement });
  const negate = ({ start, end, type }: Node) => {
    if (!/^(?:Binary|Logical|Unary)Expression$/.test(type)) add(start, end, `!(${text.slice(start, end)})`);
  };
  const leaveOut = ({ start, end }: Node) => add(start, end, ';');
  const types = new Set<number>();
  new Visitor({
    TSLiteralType: ({ literal }) => void types.add(literal.start),
    BinaryExpression: ({ left, operator, right }) => {
      if (operator === '+' && [left, right].some((side) => isText(side))) return;
      const other = otherOperators[operator];
      const at = text.indexOf(operator, left.end);
      if (other !== undefined) add(at, at + operator.length, other);
    },
    LogicalExpression: ({ left, operator, end }) => {
      const at = text.indexOf(operator, left.end);
      if (operator === '??') add(at, end, '');
      else add(at, at + 2, otherOperators[operator]!);
    },
    UnaryExpression: ({ operator, start }) => {
      if (operator === '!') add(start, start + 1, '');
    },
    ConditionalExpression: ({ test }) => negate(test),
    IfStatement: (statement) => {
      negate(statement.test);
      if (statement.alternate === null) leaveOut(statement);
    },
    ExpressionStatement: leaveOut,
    Literal: ({ start, end, value }) => {
      if (Number.isInteger(value) && Number(value) <= LARGEST_NUMBER && !types.has(start))
        add(start, end, String(Number(value) + 1));
    },
  }).visit(parseSync(file, text).program);
  return changes.filter((change) => parseSync(file, mutate(text, change)).errors.length === 0);
}

function isText(node: Node): boolean {
  if (node.type === 'BinaryExpression') return isText(node.left) || isText(node.right);
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
}

const otherSql: Record<string, string> = {
  ...otherOperators,
  and: 'or',
  or: 'and',
  'is null': 'is not null',
  'is not null': 'is null',
  min: 'max',
  max: 'min',
  distinct: '',
  'left join': 'join',
  not: '',
};

const blank = (found: string) => ' '.repeat(found.length);

/** Without comments and texts, arrows, `or replace`, `between … and` and `if not exists`. */
function mutantsOfSql(text: string): Change[] {
  const code = text
    .replaceAll(/--.*|'[^']*'|\/\*[^]*?\*\//g, blank)
    .replaceAll(
      /->|=>|:=|\bor replace\b|\bbetween\b[^\n]*|\bnot exists\b|\bnot null\b(?<!is not null)/g,
      blank,
    );
  const sites =
    /(?<= )(?:<=?|>=?|\+|-)(?= )|\b(?:is (?:not )?null|left join|and|or|distinct|not)\b|\b(?:min|max)(?=\()/g;
  return [...code.matchAll(sites)].map(({ 0: found, index }) => ({
    start: index,
    end: index + found.length,
    replacement: otherSql[found]!,
  }));
}
