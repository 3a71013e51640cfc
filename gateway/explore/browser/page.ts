import { markup, trusted } from '../pages/markup.ts';
import type { Html } from '../pages/markup.ts';
import type { Chart, Sheet } from '../pages/parts.ts';
import { drawAll } from './draw.ts';

export function byId(id: string): HTMLElement {
  return document.getElementById(id)!;
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | HTMLButtonElement;

export function controlById(id: string): Control {
  return byId(id) as Control;
}

/** Replaces the text of an element. */
export function describe(id: string, text: string): void {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
}

/** An option of a choice. */
export function optionOf(text: string, value: string, isChosen: boolean): Html {
  return markup`<option value="${value}" ${isChosen ? trusted('selected') : null}>${text}</option>`;
}

const charts = new Map<string, Chart>();
const sheets = new Map<string, Sheet>();

/** The sheet of an element that is on screen. */
export function sheetIn(id: string): Sheet | undefined {
  return sheets.get(id);
}

/** Replaces what is in an element, draws its charts, and keeps the focus on the same link. */
export function show({ text, parts }: Html, id = 'content'): void {
  const focused = document.activeElement?.getAttribute('href') ?? null;
  const content = byId(id);
  content.innerHTML = text; // all of it was escaped by `markup`
  for (const gone of [charts, sheets])
    for (const known of gone.keys()) if (document.getElementById(known) === null) gone.delete(known);
  for (const [place, part] of parts) {
    if (part.kind === 'sheet') sheets.set(place, part);
    else charts.set(place, part);
  }
  drawPlaces([...parts.keys()]);
  if (focused !== null) content.querySelector<HTMLElement>(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

function drawPlaces(places: readonly string[]): void {
  drawAll(
    places.flatMap((place) => {
      const chart = charts.get(place);
      return chart === undefined ? [] : [{ place: byId(place), chart }];
    }),
  );
}

let width = innerWidth;
/** Charts are as wide as their places. */
addEventListener('resize', () => {
  if (innerWidth === width) return;
  width = innerWidth;
  drawPlaces([...charts.keys()]);
});
