/** A menu closes when something is chosen or clicked elsewhere, or by Escape. To be called once. */
export function closeMenus(): void {
  document.addEventListener('click', ({ target }) => {
    const isChosen = (target as Element).closest('#menu button') !== null;
    for (const menu of document.querySelectorAll<HTMLDetailsElement>('#menu, .badge'))
      if (isChosen || !menu.contains(target as Node)) menu.open = false;
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    for (const menu of document.querySelectorAll<HTMLDetailsElement>('#menu, .badge')) menu.open = false;
  });
}
