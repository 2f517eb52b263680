// Renders /openapi.json. Sets its text only as text nodes, never as markup.

const specification = '/openapi.json';

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Renders text in backticks as code. */
function prose(text) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}

/** Renders a path that can wrap after each slash. */
function breakable(path) {
  return path.split(/(?<=\/)/).flatMap((part) => [part, element('wbr')]);
}

const byId = (id) => document.querySelector(`#${CSS.escape(id)}`);

/** Resolves a `$ref`; returns any other value unchanged. */
function resolved(root, part) {
  if (typeof part?.$ref !== 'string') return part;
  return part.$ref
    .slice(2)
    .split('/')
    .reduce((holder, name) => holder?.[name], root);
}

function typeOf(root, sent) {
  const schema = resolved(root, sent) ?? {};
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map((option) => typeOf(root, option)).join(' | ');
  if (schema.type === 'array') return `${typeOf(root, schema.items ?? {})}[]`;
  return [schema.type ?? 'any'].flat().join(' | ');
}

/** `1 to 30`, `at least 1`, `at most 30`. */
function range(from, to, unit = '') {
  if (from === undefined && to === undefined) return undefined;
  if (from === undefined) return `at most ${to}${unit}`;
  return to === undefined ? `at least ${from}${unit}` : `${from} to ${to}${unit}`;
}

function rulesOf(schema) {
  return [
    schema.format,
    range(schema.minimum, schema.maximum),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    schema.pattern && `matches ${schema.pattern}`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** Returns the members of an object, of a list's items or of a map's values. */
function membersOf(root, sent) {
  const schema = resolved(root, sent) ?? {};
  if (schema.type === 'array') return membersOf(root, schema.items ?? {});
  const own = Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    member,
    required: schema.required?.includes(name) ?? false,
  }));
  const others = schema.additionalProperties;
  const open = typeof others === 'object' && Object.keys(others).length > 0;
  return open ? [...own, { name: '<any name>', member: others, required: false }] : own;
}

/** Returns the descriptions of rules between members. */
function rulesBetween(root, sent) {
  const schema = resolved(root, sent) ?? {};
  if (schema.type === 'array') return rulesBetween(root, schema.items ?? {});
  return (schema.allOf ?? []).map(({ description }) => description).filter(Boolean);
}

/** Marks required members of requests and optional members of responses. */
const marks = {
  request: (required) => (required ? 'required' : ''),
  response: (required) => (required ? '' : 'may be absent'),
};

function memberList(root, schema, mark, above = []) {
  const members = membersOf(root, schema);
  if (members.length === 0) return undefined;
  const items = members.map(({ name, member, required }) => {
    const known = resolved(root, member) ?? {};
    const item = element('li', {}, element('code', {}, name), ' ');
    item.append(element('span', { class: 'type' }, typeOf(root, member)));
    if (mark(required)) item.append(' ', element('span', { class: 'needed' }, mark(required)));
    const rules = rulesOf(known);
    if (rules) item.append(' ', element('span', { class: 'rules' }, rules));
    if (known.description) item.append(element('p', {}, ...prose(known.description)));
    // A recursive schema is shown once.
    const deeper = above.includes(known) ? undefined : memberList(root, member, mark, [...above, known]);
    if (deeper) item.append(deeper);
    return item;
  });
  const together = rulesBetween(root, schema).map((rule) => element('li', { class: 'rules' }, rule));
  return element('ul', { class: 'members' }, ...items, ...together);
}

const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function curlOf(path, operation, example) {
  const headers = Object.keys(operation.security?.[0] ?? {}).map(
    (name) => `  -H "${name}: $${name.slice(2).toUpperCase().replaceAll('-', '_')}"`,
  );
  return [
    `curl -sS ${location.origin}${path}`,
    ...headers,
    `  -H 'content-type: application/json'`,
    `  -d ${quoted(JSON.stringify(example, undefined, 2))}`,
  ].join(' \\\n');
}

function copyable(text) {
  const button = element('button', { type: 'button' }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      // Browsers allow clipboard access only over TLS or on localhost.
      getSelection()?.selectAllChildren(code);
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  const code = element('pre', { tabindex: '0' }, text);
  return element('div', { class: 'copyable' }, code, button);
}

function section(title, ...content) {
  return [element('h3', {}, title), ...content];
}

function failureTable(root, responses) {
  const failures = Object.entries(responses).filter(([status]) => !status.startsWith('2'));
  const rows = failures.map(([status, response]) =>
    element(
      'tr',
      {},
      element('th', {}, status),
      element('td', {}, ...prose(resolved(root, response).description)),
    ),
  );
  return element('table', {}, ...rows);
}

function operationBody(root, path, operation) {
  const sent = operation.requestBody.content['application/json'];
  const [success = ['200', { description: '' }]] = Object.entries(operation.responses);
  const returned = success[1].content?.['application/json'].schema ?? {};
  const parameters = (operation.parameters ?? []).map((parameter) => resolved(root, parameter));
  const nothing = () => element('p', {}, 'None.');
  return element(
    'div',
    { class: 'body' },
    ...section('Call', copyable(curlOf(path, operation, sent.example))),
    ...section('data', memberList(root, sent.schema.properties.data, marks.request) ?? nothing()),
    ...section(
      'Other headers',
      element(
        'ul',
        { class: 'members' },
        ...parameters.map(({ name, description }) =>
          element('li', {}, element('code', {}, name), element('p', {}, ...prose(description))),
        ),
      ),
    ),
    ...section(`Response ${success[0]}`, memberList(root, returned, marks.response) ?? nothing()),
    ...section('Failures', failureTable(root, operation.responses)),
  );
}

/** Renders the body of an operation when it is first opened. */
function operationView(root, path, operation) {
  const view = element(
    'details',
    { class: 'operation', id: operation.operationId },
    element(
      'summary',
      {},
      element('code', {}, `POST ${path}`),
      element('p', {}, ...prose(operation.summary)),
    ),
  );
  view.addEventListener('toggle', () => {
    if (view.open && view.childElementCount === 1) view.append(operationBody(root, path, operation));
  });
  return view;
}

function openNamed() {
  const named = location.hash.length > 1 ? byId(decodeURIComponent(location.hash.slice(1))) : undefined;
  if (named?.tagName !== 'DETAILS') return;
  named.open = true;
  named.scrollIntoView();
}

function filterBy(words, shown) {
  for (const { text, nodes } of shown) {
    const hidden = !words.every((word) => text.includes(word));
    for (const node of nodes) node.hidden = hidden;
  }
  for (const group of document.querySelectorAll('[data-group]')) {
    group.hidden = group.querySelector('li:not([hidden]), .operation:not([hidden])') === null;
  }
}

function show(root) {
  const operations = Object.entries(root.paths).map(([path, { post }]) => ({ path, operation: post }));
  const shown = [];
  const contents = byId('contents');
  const main = byId('main');
  main.replaceChildren(
    element('h1', {}, `${root.info.title} ${root.info.version}`),
    element('p', { class: 'intro' }, ...prose(root.info.description)),
    element('p', {}, element('a', { href: specification }, 'OpenAPI 3.1 document')),
  );
  for (const { name } of root.tags) {
    const links = element('ul');
    const views = element('section', { 'data-group': name }, element('h2', {}, name));
    for (const { path, operation } of operations.filter(({ operation }) => operation.tags.includes(name))) {
      const link = element('li', {}, element('a', { href: `#${operation.operationId}` }, ...breakable(path)));
      const view = operationView(root, path, operation);
      links.append(link);
      views.append(view);
      shown.push({ text: `${path} ${operation.summary} ${name}`.toLowerCase(), nodes: [link, view] });
    }
    contents.append(element('div', { 'data-group': name }, element('h2', {}, name), links));
    main.append(views);
  }
  byId('filter').addEventListener('input', (event) => {
    filterBy(event.target.value.toLowerCase().split(/\s+/).filter(Boolean), shown);
  });
  addEventListener('hashchange', openNamed);
  openNamed();
}

try {
  const response = await fetch(specification);
  if (!response.ok) throw new Error(`${specification} returned ${response.status}.`);
  show(await response.json());
} catch (error) {
  byId('state').textContent = `The reference cannot be shown: ${error.message}`;
}
