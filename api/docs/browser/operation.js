import { breakable, codeBlock, element, paragraphs, prose } from './elements.js';
import { samples } from './samples.js';
import { marks, memberList, resolved } from './schema.js';
import { sendForm } from './send.js';

/** An operation by its name and summary. `bodyOf` renders the rest. */
export function operationView({ id, path, summary }) {
  const view = element(
    'details',
    { class: 'operation', id },
    element(
      'summary',
      {},
      element(
        'h3',
        {},
        element('span', { class: 'method' }, 'POST'),
        ' ',
        element('code', {}, ...breakable(path)),
      ),
      element('p', {}, ...prose(summary)),
    ),
  );
  view.addEventListener('toggle', () => followToggle(view));
  return view;
}

/** The address names the operation that was opened last. */
function followToggle(view) {
  const named = location.hash === `#${view.id}`;
  if (view.open && !named) history.replaceState(undefined, '', `#${view.id}`);
  if (!view.open && named) history.replaceState(undefined, '', location.pathname + location.search);
  markCurrent(view);
}

function markCurrent(view) {
  for (const link of document.querySelectorAll('#contents [aria-current]'))
    link.removeAttribute('aria-current');
  const link = document.querySelector(`#contents a[href="#${CSS.escape(view.id)}"]`);
  if (!view.open || !link) return;
  link.setAttribute('aria-current', 'true');
  link.scrollIntoView({ block: 'nearest' });
}

const section = (title, ...content) => [element('h4', {}, title), ...content];

function headerList(headers) {
  const items = headers.map(({ name, description }) =>
    element('li', {}, element('code', {}, name), element('p', {}, ...prose(description))),
  );
  return element('ul', { class: 'members' }, ...items);
}

function failureTable(failures) {
  const rows = failures.map(({ http, status, meaning }) =>
    element(
      'tr',
      {},
      element('td', {}, String(http)),
      element(
        'td',
        {},
        element('a', { href: `#${status}` }, element('code', {}, status)),
        element('p', {}, ...prose(meaning)),
      ),
    ),
  );
  return element(
    'table',
    {},
    element('caption', { class: 'unseen' }, 'Errors by HTTP status'),
    element('tbody', {}, ...rows),
  );
}

function facts({ id, aliases, credentials, scope, request }) {
  return element(
    'p',
    { class: 'facts' },
    ...prose(
      [
        `Operation \`${id}\``,
        `credentials ${credentials.map((name) => `\`${name}\``).join(', ')}`,
        scope && `scope \`${scope}\``,
        `body at most ${request.maxMebibytes} MiB`,
        aliases.length > 0 && `deprecated alias ${aliases.map(({ path }) => `\`${path}\``).join(', ')}`,
      ]
        .filter(Boolean)
        .join(' · '),
    ),
  );
}

function exampleText(example) {
  return typeof example === 'string' ? example : JSON.stringify(example, undefined, 2);
}

function tryButton(operation) {
  const button = element('button', { type: 'button', class: 'primary' }, 'Try it');
  const container = element('div', {}, button);
  button.addEventListener('click', () => {
    const form = sendForm(operation);
    container.replaceChildren(form);
    form.querySelector('input').focus();
  });
  return container;
}

/** Renders the body of an operation from its details and the schemas of its group. */
export function operationBody(operation, schemas) {
  const { description, headers, request, response, failures } = operation;
  const nothing = () => element('p', {}, 'None.');
  const { properties = {} } = resolved(schemas, request.schema);
  const data = properties.data ?? request.schema;
  return element(
    'div',
    { class: 'body' },
    element('div', { class: 'about' }, ...(description ? paragraphs(description) : []), facts(operation)),
    element(
      'div',
      { class: 'examples' },
      samples(operation),
      ...(response.example === undefined
        ? []
        : [codeBlock(`Response ${response.status}`, exampleText(response.example))]),
      tryButton(operation),
    ),
    element(
      'div',
      { class: 'lists' },
      ...section('Request: data', memberList(schemas, data, marks.request) ?? nothing()),
      ...section('Request: headers', headerList(headers)),
      ...section(
        `Response ${response.status}`,
        memberList(schemas, response.schema, marks.response) ?? nothing(),
      ),
      ...section('Errors', failureTable(failures)),
    ),
  );
}
