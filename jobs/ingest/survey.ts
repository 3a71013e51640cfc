import { lineBlocks } from './lines.ts';
import type { LineBlock } from './lines.ts';

/** Trailing commas, NaN, infinities; also finds harmless text in strings. */
const MAYBE_LOOSE = /,\s*[\]}]|[:,[]\s*-?(?:nan|inf)/i;
const STRING = /"(?:[^"\\]|\\.)*"/g;

/** Whether a text may be JSON only to a lenient reader: what this never finds needs no second look. */
export function mayBeLoose(text: string): boolean {
  return MAYBE_LOOSE.test(text);
}

/** What DuckDB's own reader does not tell of a file of lines. */
export interface Survey {
  /** Lines up to the last one that is not blank. */
  lines: number;
  /** The numbers of those that may be JSON only to a lenient reader, or are not UTF-8. */
  suspects: number[];
}

/** @throws Failure that names the file when it cannot be read or unzipped to its end. */
export async function surveyLines(path: string, zipped: boolean): Promise<Survey> {
  const survey: Survey = { lines: 0, suspects: [] };
  for await (const block of lineBlocks(path, zipped)) {
    survey.lines = Math.max(survey.lines, lastLine(block));
    for (const suspect of suspectsIn(block)) survey.suspects.push(suspect);
  }
  return survey;
}

function suspectsIn(block: LineBlock): number[] {
  const undecodable = block.undecodable.map(({ line }) => line);
  if (!mayBeLoose(block.text)) return undecodable;
  const loose = block.text
    .split('\n')
    .flatMap((line, index) =>
      mayBeLoose(line) && mayBeLoose(line.replaceAll(STRING, '""')) ? [block.firstLine + index] : [],
    );
  return [...undecodable, ...loose];
}

/** The number of the last line that is not blank, 0 where all are. What is not UTF-8 stands empty in the text. */
function lastLine({ text, firstLine, lines, undecodable }: LineBlock): number {
  let end = text.length;
  while (end > 0 && ' \t\r\n'.includes(text[end - 1]!)) end -= 1;
  const blank = text.slice(end).split('\n').length - 1;
  const lastReadable = end === 0 ? 0 : firstLine + lines - 1 - blank;
  return Math.max(lastReadable, undecodable.at(-1)?.line ?? 0);
}
