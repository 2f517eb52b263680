import { copyButton, element } from './elements.js';

const json = (value) => JSON.stringify(value, undefined, 2);
const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const variable = (header) => header.slice(2).toUpperCase().replaceAll('-', '_');

function curl({ path, credentials, request }) {
  return [
    `curl -sS ${location.origin}${path}`,
    ...credentials.map((name) => `  -H "${name}: $${variable(name)}"`),
    `  -H 'content-type: application/json'`,
    `  -d ${quoted(json(request.example))}`,
  ].join(' \\\n');
}

/** Writes JSON as a literal of a language, indented by its own. */
function literal(value, language, indent) {
  if (value === null || typeof value !== 'object') return language.scalar(value);
  const isArray = Array.isArray(value);
  const items = isArray
    ? value.map((item) => literal(item, language, `${indent}${language.indent}`))
    : Object.entries(value).map(
        ([name, member]) =>
          `${language.name(name)}: ${literal(member, language, `${indent}${language.indent}`)}`,
      );
  const [open, close] = isArray ? '[]' : '{}';
  if (items.length === 0) return open + close;
  const lines = items.map((item) => `${indent}${language.indent}${item},\n`).join('');
  return `${open}\n${lines}${indent}${close}`;
}

const inTypeScript = {
  indent: '  ',
  name: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : inTypeScript.scalar(name)),
  scalar: (value) =>
    typeof value === 'string'
      ? `'${JSON.stringify(value)
          .slice(1, -1)
          .replaceAll(String.raw`\"`, '"')
          .replaceAll("'", String.raw`\'`)}'`
      : JSON.stringify(value),
};

const pythonNames = new Map([
  [null, 'None'],
  [true, 'True'],
  [false, 'False'],
]);
const inPython = {
  indent: '    ',
  name: (name) => JSON.stringify(name),
  scalar: (value) => pythonNames.get(value) ?? JSON.stringify(value),
};

/** `apiKey` for `x-svc-api-key`: the option of the client. */
const option = (header) =>
  header.slice('x-svc-'.length).replaceAll(/-([a-z])/g, (_, letter) => letter.toUpperCase());

/** The client has methods for /v2, and calls other paths by name. */
function typescript({ id, path, writes, credentials, request }) {
  const data = literal(request.example.data, inTypeScript, '');
  const sent = data === '{}' ? '' : data;
  const call = path.startsWith('/v2/')
    ? `${id}(${sent})`
    : `request('${path}', ${data}${writes ? ', { writes: true }' : ''})`;
  return [
    `import { createClient } from '@steward/client';`,
    '',
    'const steward = createClient({',
    `  baseUrl: '${location.origin}',`,
    ...credentials.map((header) => `  ${option(header)}: process.env.${variable(header)} ?? '',`),
    '});',
    `const result = await steward.${call};`,
  ].join('\n');
}

function python({ path, credentials, request }) {
  const headers = credentials.map((name) => `        "${name}": os.environ["${variable(name)}"],`);
  return [
    'import os',
    'import requests',
    '',
    'response = requests.post(',
    `    "${location.origin}${path}",`,
    '    headers={',
    ...headers,
    '    },',
    `    json=${literal(request.example, inPython, '    ')},`,
    '    timeout=60,',
    ')',
    'response.raise_for_status()',
    'print(response.text)',
  ].join('\n');
}

const languages = { curl, TypeScript: typescript, Python: python };
let chosen = 'curl';
let blocks = 0;

/** Code samples of an operation, in the language that the reader chose last. */
export function samples(operation) {
  const number = (blocks += 1);
  const pre = element('pre', { tabindex: '0', role: 'tabpanel', id: `sample-${number}` });
  const tabs = Object.keys(languages).map((name) => tab(name, number));
  const list = element('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Language' }, ...tabs);
  const bar = element(
    'div',
    { class: 'bar' },
    list,
    copyButton(() => pre.textContent),
  );
  const block = element('div', { class: 'code samples' }, bar, pre);
  block.addEventListener('language', () => showChosen(block, tabs, pre, operation));
  list.addEventListener('keydown', (event) => moveBetween(tabs, event));
  showChosen(block, tabs, pre, operation);
  return block;
}

function tab(name, number) {
  const button = element(
    'button',
    { type: 'button', role: 'tab', id: `sample-${number}-${name}`, 'aria-controls': `sample-${number}` },
    name,
  );
  button.addEventListener('click', () => {
    chosen = name;
    for (const block of document.querySelectorAll('.samples')) block.dispatchEvent(new Event('language'));
  });
  return button;
}

function showChosen(block, tabs, pre, operation) {
  for (const button of tabs) {
    const isChosen = button.textContent === chosen;
    button.setAttribute('aria-selected', String(isChosen));
    button.tabIndex = isChosen ? 0 : -1;
    if (isChosen) pre.setAttribute('aria-labelledby', button.id);
  }
  pre.textContent = languages[chosen](operation);
}

/** Arrow keys move between tabs, as in every tab list. */
function moveBetween(tabs, event) {
  const steps = { ArrowLeft: -1, ArrowRight: 1 };
  const step = steps[event.key];
  if (step === undefined) return;
  const at = tabs.indexOf(document.activeElement);
  const next = tabs[(at + step + tabs.length) % tabs.length];
  next.click();
  next.focus();
}
