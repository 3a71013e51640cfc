import { hostOf, trim } from './text.ts';

export const engines = 'ai_mode ai_overview chatgpt claude deepseek gemini grok perplexity'.split(' ');
export const webGrounded = ['ai_mode', 'ai_overview', 'perplexity'];
export const sourceTypes = 'ugc forum corporate listicle review news docs other'.split(' ');

/** A record of the tracking data; its fields depend on its kind. */
export interface Tracked {
  id: string;
  workspaceId?: string;
  brandId?: string;
  name?: string;
  domain?: string;
  text?: string;
  isActive?: boolean;
  createdAt?: bigint;
  tags?: string[];
  /** Of an event: all workspaces where `workspaceId` is missing, all engines where this is null. */
  engine?: string | null;
  date?: string;
  url?: string | null;
}

export type Fields = Record<string, unknown>;

/** A number as it was written: 1 is a whole number in JSON, 1.0 is not. */
export class Spelled {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** Thrown if a record breaks a rule of docs/ingest.md. */
export class Refusal extends Error {}

function must<T>(value: T | null, what: string): T {
  if (value === null) throw new Refusal(what);
  return value;
}

export function uuid(value: unknown): string {
  const isUuid = typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);
  return must(isUuid ? value.toLowerCase() : null, 'uuid');
}

/** A text of 1 to `most` characters, not all of them white space. */
export function filled(value: unknown, most = 1000): string {
  const isFilled = typeof value === 'string' && trim(value) !== '' && Array.from(value).length <= most;
  return must(isFilled ? value : null, 'text');
}

/** Null where it is missing. */
export function optional<T>(value: unknown, read: (value: unknown) => T): T | null {
  return (value ?? null) === null ? null : read(value);
}

/** @param most characters */
export function shortText(value: unknown, most: number): string {
  return must(typeof value === 'string' && Array.from(value).length <= most ? value : null, 'short text');
}

export function linkOf(value: unknown): string {
  const link = shortText(value, 2000);
  const rest = /^https?:\/\/(.+)$/is.exec(link)?.[1] ?? ' ';
  return must(Array.from(rest).some((c) => /[\p{White_Space}\p{Z}\p{Cc}]/u.test(c)) ? null : link, 'link');
}

function hashOf(value: unknown): string {
  const isHash = typeof value === 'string' && value.length === 64 && !/[^0-9a-f]/i.test(value);
  return must(isHash ? value.toLowerCase() : null, 'sha256');
}

export function oneOf(value: unknown, allowed: readonly string[]): string {
  return must(typeof value === 'string' && allowed.includes(value) ? value : null, 'unknown value');
}

export function dateOf(value: unknown): string {
  const text = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? value : '';
  const day = new Date(`${text}T00:00:00Z`);
  return must(!Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? text : null, 'date');
}

/** Microseconds since 1970. */
export function instantOf(value: unknown): bigint {
  const shape = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;
  const [, date, hour, minute, second, decimals, zone] = must(
    typeof value === 'string' ? shape.exec(value) : null,
    'instant',
  );
  const offset = zone!.toUpperCase() === 'Z' ? '+00:00' : zone!;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(4))];
  const isClock = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  if (!isClock || hours > 23 || minutes > 59) throw new Refusal('instant');
  const local = Date.parse(`${dateOf(date)}T${hour}:${minute}:${second}Z`);
  const utc = local - (hours * 60 + minutes) * 60_000 * (offset.startsWith('-') ? -1 : 1);
  const micros = Number((decimals ?? '.').slice(1).padEnd(6, '0').slice(0, 6));
  return BigInt(utc) * 1000n + BigInt(micros);
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Spelled);
}

function listOf(value: unknown): Fields[] {
  const list = value ?? [];
  if (!Array.isArray(list) || !list.every(isObject) || list.length > 1000) throw new Refusal('list');
  return list;
}

function mentionOf({ name, subject, competitor_id, position, sentiment }: Fields) {
  if (!(position instanceof Spelled) || !/^[1-9]\d*$/.test(position.source)) throw new Refusal('position');
  const known = oneOf(subject, ['brand', 'competitor', 'other']);
  return {
    name: filled(name),
    subject: known,
    competitorId: known === 'competitor' ? uuid(competitor_id) : null,
    position: Number(position.source),
    sentiment: (sentiment ?? null) === null ? null : oneOf(sentiment, ['positive', 'neutral', 'negative']),
  };
}

function citationOf({ url, source_type }: Fields) {
  if (typeof url !== 'string' || hostOf(url) === null) throw new Refusal('host');
  return { url, type: oneOf(source_type, sourceTypes) };
}

const DAY_MICROS = 86_400_000_000;

export type Mention = ReturnType<typeof mentionOf>;
export type Run = ReturnType<typeof runOf>;

export function runOf(fields: Fields) {
  const run = {
    id: uuid(fields['id']),
    brandId: uuid(fields['brand_id']),
    promptId: uuid(fields['prompt_id']),
    engine: oneOf(fields['engine'], engines),
    cycle: dateOf(fields['cycle_date']),
    ranAt: instantOf(fields['ran_at']),
    status: oneOf(fields['status'], ['success', 'no_answer', 'failed']),
    mentions: listOf(fields['mentions']).map(mentionOf),
    citations: listOf(fields['citations']).map(citationOf),
    model: optional(fields['model'], (value) => shortText(value, 1000)),
    url: optional(fields['answer_url'], linkOf),
    sha256: optional(fields['answer_sha256'], hashOf),
  };
  const daysApart =
    (Date.parse(run.cycle) - Math.floor(Number(run.ranAt) / DAY_MICROS) * 86_400_000) / 86_400_000;
  if (Math.abs(daysApart) > 366) throw new Refusal('cycle');
  if (run.status !== 'success' && run.mentions.length + run.citations.length > 0) throw new Refusal('silent');
  return run;
}
