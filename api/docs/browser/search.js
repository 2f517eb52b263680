import { byId, element } from './elements.js';
import { memberTexts } from './schema.js';

/**
 * Searched operations and errors. Each entry has texts by kind, and the nodes that it shows or hides; `reason` is the
 * element that shows where the words were found.
 */
const entries = [];

export function addEntry(entry) {
  entries.push(entry);
}

/** The searched texts of an operation, once its details are known. */
export function textsOf(
  { id, path, aliases, summary, description = '', headers, request, response, failures },
  schemas,
) {
  const members = [request.schema, response.schema].flatMap((schema) => memberTexts(schemas, schema));
  return {
    name: [id, path, ...aliases.flatMap((alias) => [alias.id, alias.path]), summary].join(' '),
    member: [...new Set(members.map(({ name }) => name)), ...headers.map(({ name }) => name)].join(' '),
    error: failures.map(({ http, status, meaning }) => `${http} ${status} ${meaning}`).join(' '),
    description: [description, ...members.map((member) => member.description)].join(' '),
  };
}

/** Returns the kind of text that contains all words, `name` first; several kinds when only together they do. */
function foundIn(texts, words) {
  const kinds = Object.keys(texts).filter((kind) => {
    const text = texts[kind].toLowerCase();
    return words.every((word) => text.includes(word));
  });
  if (kinds.length > 0) return kinds[0];
  const all = Object.values(texts).join(' ').toLowerCase();
  return words.every((word) => all.includes(word)) ? 'several texts' : undefined;
}

/** Shows where the words were found, unless the name contains them. */
function reasonOf(texts, kind, words) {
  if (kind === 'name') return '';
  if (kind !== 'member') return `in ${kind}`;
  const names = texts.member
    .split(' ')
    .filter((name) => words.some((word) => name.toLowerCase().includes(word)));
  return names.slice(0, 3).join(', ');
}

/** Shows the entries that contain all words, and their number. */
function filter(typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const { texts, nodes, reason } of entries) {
    const kind = foundIn(texts, words);
    if (kind !== undefined) found += 1;
    for (const node of nodes) node.hidden = kind === undefined;
    if (reason)
      reason.textContent = words.length > 0 && kind !== undefined ? reasonOf(texts, kind, words) : '';
  }
  for (const group of document.querySelectorAll('[data-group]')) {
    group.hidden = group.querySelector('[data-entry]:not([hidden])') === null;
  }
  byId('introduction').hidden = words.length > 0;
  return { words, found };
}

function report({ words, found }, typed, complete) {
  if (words.length === 0) return [];
  const searching = complete ? [] : [' Searching members and descriptions…'];
  if (found > 0) return [`${found} found.`, ...searching];
  return complete ? [`Nothing found for “${typed}”. `, clearButton()] : searching;
}

function clearButton() {
  const button = element('button', { type: 'button' }, 'Clear the search');
  button.addEventListener('click', () => {
    clearSearch();
    byId('search').focus();
  });
  return button;
}

export function clearSearch() {
  const input = byId('search');
  input.value = '';
  input.dispatchEvent(new Event('input'));
}

/** Filters by the search field. `loadAll` resolves when every entry has all of its texts. */
export function startSearch(loadAll) {
  const input = byId('search');
  let complete = false;
  const update = () => {
    byId('found').replaceChildren(...report(filter(input.value), input.value.trim(), complete));
  };
  input.addEventListener('input', () => {
    update();
    if (complete || input.value.trim() === '') return;
    void loadAll().then(() => {
      complete = true;
      update();
    });
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target.closest('input, textarea, dialog')) return;
    event.preventDefault();
    input.focus();
  });
}
