/** The display names of the engines. */
const engineNames: Readonly<Record<string, string>> = {
  ai_mode: 'Google AI Mode',
  ai_overview: 'Google AI Overviews',
  chatgpt: 'ChatGPT',
  claude: 'Claude',
  deepseek: 'DeepSeek',
  gemini: 'Gemini',
  grok: 'Grok',
  perplexity: 'Perplexity',
};

/** The slugs of all engines. */
export const engineSlugs: readonly string[] = Object.keys(engineNames);

/** The display name of an engine; an unknown slug is returned unchanged. */
export function engineName(slug: string): string {
  return Object.hasOwn(engineNames, slug) ? engineNames[slug]! : slug;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * A name for use in a sentence. One with letters that are written from right to left stands between U+2068 and U+2069, so
 * that it does not change the order of the words and numbers around it.
 */
export function isolatedName(name: string): string {
  const plain = name.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, ' ');
  return RIGHT_TO_LEFT.test(plain) ? `\u2068${plain}\u2069` : plain;
}

// Not Intl.DateTimeFormat: the first one takes 40 ms of the start of every program.
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** `9 November`, with the year if it is another one. */
export function dayInWords(date: string, asOf: string): string {
  const [year, month, day] = date.split('-');
  const text = `${Number(day)} ${months[Number(month) - 1]}`;
  return year === asOf.slice(0, 4) ? text : `${text} ${year}`;
}

/** More names than this are counted, not listed. */
const LISTED = 4;

/** `A, B and C`. */
export function listOf(names: readonly string[]): string {
  const shown =
    names.length > LISTED ? [...names.slice(0, LISTED - 1), `${names.length - LISTED + 1} others`] : names;
  return shown.length === 1 ? shown[0]! : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** `1 week`, `2 weeks`: a number of things whose plural ends in s. */
export function counted(count: number, one: string): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}
