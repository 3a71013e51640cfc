import { h, listing } from './html.js';
import { parameters, parametersOf } from './parameters.js';
import { samples } from './samples.js';

/** By path parameter: the ids from the lists that were requested, as suggestions. */
const offers = new Map(parameters.map(({ name }) => [name, h('datalist', { id: `known-${name}` })]));
const keyField = h('input', { type: 'password', id: 'key', autocomplete: 'off', spellcheck: 'false' });

/** The form for the key. The key stays in this field: it is not put into browser storage or the URL. */
export function keyForm() {
  return h(
    'div',
    { class: 'try' },
    h('label', { for: 'key' }, 'API key'),
    keyField,
    h('div', {}, 'Your key is sent to this gateway only, and is forgotten when you leave the page.'),
    ...offers.values(),
  );
}

/**
 * A form that sends the request of an operation and shows the response, and the request in three languages. Several
 * operations with the same parameters share a form: it has a choice of document.
 */
export function requestForm(operations, name) {
  const output = h('output', { 'aria-live': 'polite' });
  const button = h('button', { class: 'primary' });
  const choice = h(
    'select',
    { id: `document-${name}` },
    ...operations.map(({ path }) => h('option', { value: path }, path.slice(path.lastIndexOf('/') + 1))),
  );
  const fields = parametersOf(operations[0].path).map((parameter) => {
    const field = h('input', {
      type: 'text',
      id: `${parameter.name}-${name}`,
      list: `known-${parameter.name}`,
    });
    field.classList.add(parameter.name);
    return { ...parameter, field };
  });
  const { parts, update } = samples(operations[0].summary, name);
  const fillIn = () => {
    button.textContent = `Send GET ${choice.value}`;
    update(choice.value, Object.fromEntries(fields.map(({ name: id, field }) => [id, field.value.trim()])));
  };
  const form = h(
    'form',
    { class: 'try' },
    ...fields.flatMap(({ label, field }) => [h('label', { for: field.id }, label), field]),
    ...(operations.length > 1 ? [h('label', { for: choice.id }, 'Document'), choice] : []),
    button,
    output,
  );
  form.addEventListener('input', fillIn);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit(fields, choice.value, output);
  });
  fillIn();
  return [form, ...parts];
}

function submit(fields, path, output) {
  const missing = [keyField, ...fields.map(({ field }) => field)].find(({ value }) => value.trim() === '');
  if (missing !== undefined) {
    missing.focus();
    return;
  }
  const address = fields.reduce(
    (text, { name, field }) => text.replace(`{${name}}`, encodeURIComponent(field.value.trim())),
    path,
  );
  void send(address, path, output);
}

async function send(address, path, output) {
  output.replaceChildren('Waiting for the response.');
  try {
    const headers = { Authorization: `Bearer ${keyField.value.trim()}` };
    const response = await fetch(address, { headers, cache: 'no-store' });
    const body = await response.json();
    const remaining = response.headers.get('X-RateLimit-Remaining');
    const left = remaining === null ? '' : `, ${remaining} requests left in this minute`;
    output.replaceChildren(
      `Status ${response.status}${left}`,
      listing(JSON.stringify(body, null, 2), `Response of ${address}`),
    );
    if (response.ok && path === '/api/v1/brands') offer('brandId', body.data);
    if (response.ok && path === '/api/v1/snapshots') offer('snapshotId', body.data);
  } catch (error) {
    output.replaceChildren(`No response: ${error.message}`);
  }
}

function offer(parameter, entries) {
  const options = entries.map(({ id, name, asOf }) => h('option', { value: id }, name ?? asOf));
  offers.get(parameter).replaceChildren(...options);
  for (const field of document.querySelectorAll(`input.${parameter}`)) {
    field.value ||= entries[0]?.id ?? '';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }
}
