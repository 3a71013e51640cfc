import type { z } from 'zod';
import { compareText } from '../../methodology/text.ts';

export type Refuse = (path: readonly PropertyKey[], message: string) => void;

/** Checks a relation between fields of a document; calls `refuse` with the path and the reason if it is violated. */
export type Rule<Document> = (document: Document, refuse: Refuse) => void;

/**
 * Adds rules to a document's schema. They run once per document, and only if each field is valid by itself: checks per
 * field or per row made validation of the largest document many times slower. Zod does not copy the `meta` of a
 * schema to derived ones: set it on the result.
 */
export function withRules<Schema extends z.ZodType>(
  schema: Schema,
  ...rules: readonly Rule<z.output<Schema>>[]
): Schema {
  return schema.superRefine((document, context) => {
    if (context.issues.length > 0) return;
    const refuse: Refuse = (path, message) => context.addIssue({ code: 'custom', path: [...path], message });
    for (const rule of rules) rule(document, refuse);
  });
}

/**
 * Refuses the first row that is not in order after the one before it.
 * @param isInOrder true if `row` may directly follow `previous`; it decides whether equal rows are refused
 */
export function refuseUnlessOrdered<Row>(
  rows: readonly Row[],
  isInOrder: (previous: Row, row: Row) => boolean,
  path: readonly PropertyKey[],
  message: string,
  refuse: Refuse,
): void {
  const index = rows.findIndex((row, at) => at > 0 && !isInOrder(rows[at - 1]!, row));
  if (index !== -1) refuse([...path, index], message);
}

/** Refuses engines that are not by slug, and engines that appear twice. */
export function refuseUnlessBySlug(
  engines: readonly { slug: string }[],
  path: readonly PropertyKey[],
  refuse: Refuse,
): void {
  const message = 'engines must be unique and by slug';
  refuseUnlessOrdered(engines, (a, b) => compareText(a.slug, b.slug) < 0, path, message, refuse);
}

/** Refuses the first row that has the same key as an earlier row. */
export function refuseRepeats<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  path: readonly PropertyKey[],
  message: string,
  refuse: Refuse,
): void {
  const seen = new Set<string>();
  for (const [index, row] of rows.entries()) {
    if (seen.has(keyOf(row))) return refuse([...path, index], message);
    seen.add(keyOf(row));
  }
}

interface Created {
  id: string;
  createdAt: string;
}

const isNotOlder = (previous: Created, row: Created) => compareText(previous.createdAt, row.createdAt) <= 0;

/**
 * Brands and prompts (methodology, Brands and prompts) are ordered by microsecond, then by id. Only milliseconds are
 * published, so the order of ids cannot be checked here.
 */
export function refuseUnlessOldestFirst(
  rows: readonly Created[],
  path: readonly PropertyKey[],
  refuse: Refuse,
): void {
  refuseUnlessOrdered(rows, isNotOlder, path, 'must be listed oldest first', refuse);
  refuseRepeats(rows, (row) => row.id, path, 'must be listed once', refuse);
}
