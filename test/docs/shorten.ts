const WIDTH = 120;

/**
 * JSON for people. Objects of plain values take as few lines as possible. Lists of objects show the first two, or one
 * if they contain lists, and how many were left out. Of the engines' series only the first is shown.
 */
export function shorten(value: unknown, indent = 0, name = ''): string {
  const flat = oneLine(value);
  if (typeof value !== 'object' || value === null) return flat;
  const isList = Array.isArray(value);
  const most = (isList && typeof value[0] === 'object') || name === 'trend' ? shownOf(value) : Infinity;
  const entries = Object.entries(value);
  if (entries.length <= most && indent + flat.length <= WIDTH) return flat;
  if (!isList && entries.every(([, each]) => typeof each !== 'object' || each === null))
    return filled(entries, indent);
  const inside = ' '.repeat(indent + 2);
  const shown = entries.slice(0, most).map(([key, each]) => {
    const head = isList ? '' : `${JSON.stringify(key)}: `;
    return `${inside}${head}${shorten(each, indent + 2, key)}`;
  });
  const left = entries.length > most ? `\n${inside}// … and ${entries.length - most} more` : '';
  return `${isList ? '[' : '{'}\n${shown.join(',\n')}${left}\n${' '.repeat(indent)}${isList ? ']' : '}'}`;
}

function shownOf(value: object): number {
  const [first] = Object.values(value) as object[];
  return first !== undefined && Object.values(first).some((each) => typeof each === 'object' && each !== null)
    ? 1
    : 2;
}

/** An object of plain values over as few lines as it takes. */
function filled(entries: readonly [string, unknown][], indent: number): string {
  const lines: string[] = [];
  let line = '{';
  for (const [index, [key, value]] of entries.entries()) {
    const field = `${JSON.stringify(key)}: ${JSON.stringify(value)}${index < entries.length - 1 ? ',' : ' }'}`;
    if ((lines.length === 0 ? indent : 0) + line.length + 1 + field.length > WIDTH) {
      lines.push(line);
      line = `${' '.repeat(indent + 1)} ${field}`;
    } else line += ` ${field}`;
  }
  return [...lines, line].join('\n');
}

function oneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const fields = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${oneLine(each)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
