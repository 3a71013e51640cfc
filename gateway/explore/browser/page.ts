import type { Html } from '../pages/markup.ts';

export function byId(id: string): HTMLElement {
  return document.getElementById(id)!;
}

/** Replaces the text of an element. */
export function describe(id: string, text: string): void {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
}

/** Replaces the content of the page, and keeps the focus on the same link. */
export function show({ text }: Html): void {
  const focused = document.activeElement?.getAttribute('href');
  const content = byId('content');
  content.innerHTML = text; // all of it was escaped by `markup`
  if (focused !== null && focused !== undefined && focused !== '#')
    content.querySelector<HTMLElement>(`a[href="${CSS.escape(focused)}"]`)?.focus();
}
