/** Where the reader was on each address: a link shows the top of its page, back and forward return to the place. */
const places = new Map<string, number>();
/** The place that the next page is shown at; null once it was shown, so that the reader can scroll. */
let wanted: number | null = null;
let isLink = false;

function leave(): void {
  places.set(location.hash, scrollY);
  isLink = true;
}

/** To a part of the page. The address is not used for it: it says what is on the page. */
function goTo(part: HTMLElement): void {
  part.scrollIntoView();
  part.tabIndex = -1;
  part.focus({ preventScroll: true });
}

/** To be called once. */
export function rememberPlaces(): void {
  history.scrollRestoration = 'manual';
  let shown = location.hash;
  addEventListener('scroll', () => {
    if (wanted === null && shown === location.hash) places.set(shown, scrollY);
  });
  document.addEventListener('click', ({ target }) => {
    if ((target as Element).closest('a[href^="#"]') !== null) leave();
    const part = (target as Element).closest<HTMLElement>('[data-to]')?.dataset['to'];
    if (part !== undefined) goTo(document.getElementById(part)!);
  });
  document.addEventListener('change', leave);
  addEventListener('hashchange', () => {
    wanted = isLink ? 0 : (places.get(location.hash) ?? 0);
    isLink = false;
    shown = location.hash;
  });
}

/** To be called when the page of the address is shown, as often as it is drawn. */
export function returnToPlace(): void {
  if (wanted === null) return;
  scrollTo(0, wanted);
  wanted = null;
}
