import { samplesOf } from './examples.js';
import { fieldsOf, resolve } from './fields.js';
import { definitions, h, listing, markdown } from './html.js';
import { keyForm, requestForm } from './try.js';

const description = await (await fetch('/openapi.json')).json();
const address = description.servers[0].url;
const operations = Object.entries(description.paths).map(([path, { get }]) => ({ path, ...get }));
const [first] = operations;
const [lead, ...text] = markdown(description.info.description);

document.querySelector('h1').after(lead);
document.getElementById('loading').remove();
document
  .getElementById('content')
  .append(
    h('h2', { id: 'first-request' }, 'Your first request'),
    h(
      'p',
      {},
      'Enter your key and list the brands of your workspace. The ids in the response lead to everything else.',
    ),
    keyForm(),
    requestForm(first.path, 'first'),
    ...samples(first, 'first'),
    ...operations.flatMap(operationSection),
    h('h2', { id: 'status-codes' }, 'Errors by status'),
    definitions(errors()),
    h('h2', { id: 'headers' }, 'Response headers'),
    definitions(responseHeaders()),
    ...text,
  );
fillContents();
// The anchor of the address exists only now.
document.getElementById(location.hash.slice(1))?.scrollIntoView();

function operationSection(operation) {
  const { path, operationId, summary, responses } = operation;
  const { schema, examples } = responses[200].content['application/json'];
  const fields = fieldsOf(description, resolve(description, schema).properties.data, 'data');
  return [
    h('h2', { id: operationId }, summary),
    h('p', {}, h('code', {}, `GET ${path}`)),
    h('p', {}, operation.description),
    requestForm(path, operationId),
    ...samples(operation, operationId),
    h('h3', {}, 'Response fields'),
    definitions(fields),
    h('h3', {}, 'Example response'),
    listing(JSON.stringify(Object.values(examples)[0].value, null, 2), `Example response of ${summary}`),
  ];
}

/** The request in three languages; the choice is for all requests of the page. */
function samples({ path, summary }, name) {
  const all = samplesOf(path, address);
  const choices = all.map(({ label }) => {
    const input = h('input', { type: 'radio', name: `language-${name}`, value: label });
    input.checked = label === 'curl';
    input.addEventListener('change', () => showLanguage(label));
    return h('label', {}, input, ` ${label}`);
  });
  const listings = all.map(({ label, source }) => {
    const block = listing(source, `${summary} in ${label}, ${name}`);
    block.dataset.language = label;
    block.hidden = label !== 'curl';
    return block;
  });
  return [h('fieldset', {}, h('legend', {}, 'The request in'), ...choices), ...listings];
}

function showLanguage(language) {
  for (const input of document.querySelectorAll('fieldset input')) input.checked = input.value === language;
  for (const block of document.querySelectorAll('pre[data-language]')) {
    block.hidden = block.dataset.language !== language;
  }
}

function errors() {
  const failed = statuses().filter(([status]) => status >= '400');
  return failed.flatMap(([status, response]) =>
    Object.entries(response.content['application/json'].examples).map(([code, { value }]) => [
      code,
      status,
      `${response.description} Message: “${value.error.message}”`,
    ]),
  );
}

/** Each header once, with the statuses that carry it. */
function responseHeaders() {
  const rows = new Map();
  for (const [status, { headers }] of statuses()) {
    for (const [name, header] of Object.entries(headers)) {
      const row = rows.get(name) ?? { on: [], meanings: new Set() };
      row.on.push(status);
      row.meanings.add(resolve(description, header).description);
      rows.set(name, row);
    }
  }
  return [...rows].map(([name, { on, meanings }]) => [name, `on ${on.join(', ')}`, [...meanings].join(' ')]);
}

/** Every response of an operation on a brand, by status. */
function statuses() {
  const { responses } = operations.find(({ path }) => path.includes('{brandId}'));
  return Object.entries(responses).map(([status, response]) => [status, resolve(description, response)]);
}

function fillContents() {
  const headings = [...document.querySelectorAll('h2')].filter(({ id }) => id !== 'first-request');
  document
    .getElementById('contents')
    .append(...headings.map(({ id, textContent }) => h('li', {}, h('a', { href: `#${id}` }, textContent))));
}
