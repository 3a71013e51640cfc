/** Creates an element. Strings become text nodes, so texts of the OpenAPI file are never parsed as HTML. */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Renders the Markdown of the OpenAPI file: headings, lists, paragraphs, bold and code. */
export function markdown(text) {
  return text.split(/\n\n+/).map((block) => {
    if (block.startsWith('## ')) return h('h2', { id: slugOf(block.slice(3)) }, block.slice(3));
    if (!block.startsWith('- ')) return h('p', {}, ...inline(block));
    const items = block.slice(2).split(/\n- /);
    return h('ul', {}, ...items.map((item) => h('li', {}, ...inline(item))));
  });
}

export function slugOf(heading) {
  return heading.toLowerCase().replaceAll(/[^a-z]+/g, '-');
}

export function inline(text) {
  return text
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .map((part) =>
      part.startsWith('`')
        ? h('code', {}, part.slice(1, -1))
        : part.startsWith('**')
          ? h('strong', {}, part.slice(2, -2))
          : part,
    );
}

/** A definition list. `rows`: [name, type or context, meaning]. */
export function definitions(rows) {
  return h(
    'dl',
    {},
    ...rows.map(([name, kind, meaning]) =>
      h(
        'div',
        {},
        h('dt', {}, h('code', {}, name), ' ', h('span', {}, kind)),
        h('dd', {}, ...inline(meaning)),
      ),
    ),
  );
}

/** A block of code that can be scrolled by keyboard. `label`: its name for screen readers. */
export function listing(text, label) {
  return h('pre', { tabindex: '0', role: 'region', 'aria-label': label }, h('code', {}, text));
}
