import { breakable, byId, element, paragraphs, prose } from './elements.js';
import { operationBody, operationView } from './operation.js';
import { addEntry, clearSearch, startSearch, textsOf } from './search.js';

async function json(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} returned ${response.status}.`);
  return await response.json();
}

/** Groups by the id of each of their operations and aliases. */
const groupById = new Map();
const idByAlias = new Map();

/** A group loads its details once, when the reader needs them or the page is idle. */
class Group {
  #loading;
  #views = [];

  constructor({ details, operations }) {
    this.details = details;
    this.operations = operations;
  }

  add(operation, view, texts) {
    this.#views.push({ operation, view, texts });
    groupById.set(operation.id, this);
    for (const { id } of operation.aliases) idByAlias.set(id, operation.id);
  }

  load() {
    this.#loading ??= json(this.details).then(({ operations, schemas }) => {
      for (const { operation, view, texts } of this.#views) {
        const whole = { ...operation, ...operations[operation.id] };
        Object.assign(texts, textsOf(whole, schemas));
        view.append(operationBody(whole, schemas));
      }
    });
    // Retries at the next use.
    this.#loading.catch(() => (this.#loading = undefined));
    return this.#loading;
  }
}

function showGroup({ name, slug, description, details, operations }) {
  const group = new Group({ details, operations });
  const links = element('ul');
  const title = element('h2', { id: slug }, name);
  const views = element('section', { 'data-group': slug, 'aria-labelledby': slug }, title);
  if (description) views.append(element('p', {}, ...prose(description)));
  for (const operation of operations) {
    const { id, path, summary, aliases } = operation;
    const reason = element('span', { class: 'reason' });
    const link = element(
      'li',
      {},
      element('a', { href: `#${id}` }, ...breakable(path.replace('/v2/', '')), reason),
    );
    const view = operationView(operation);
    view.dataset.entry = link.dataset.entry = id;
    view.addEventListener('toggle', () => view.open && void group.load().catch(showFailure));
    const texts = { name: [id, path, ...aliases.map((alias) => alias.path), summary].join(' ') };
    addEntry({ texts, nodes: [link, view], reason });
    group.add(operation, view, texts);
    links.append(link);
    views.append(view);
  }
  byId('contents').append(
    element(
      'div',
      { 'data-group': slug },
      element('h2', {}, element('a', { href: `#${slug}` }, name)),
      links,
    ),
  );
  byId('main').append(views);
  return group;
}

function showErrors(errors) {
  const items = errors.map(({ status, http, meaning, remedy }) => {
    const item = element(
      'div',
      { class: 'error', id: status, 'data-entry': status },
      element(
        'h3',
        {},
        element('code', {}, status),
        ' ',
        element('span', { class: 'type' }, http.join(', ')),
      ),
      element('p', {}, ...prose(meaning)),
      element('p', { class: 'remedy' }, ...prose(remedy)),
    );
    addEntry({ texts: { name: `${status} ${http.join(' ')} ${meaning} ${remedy}` }, nodes: [item] });
    return item;
  });
  const title = element('h2', { id: 'errors' }, 'Errors');
  byId('main').append(
    element('section', { 'data-group': 'errors', 'aria-labelledby': 'errors' }, title, ...items),
  );
  byId('contents').append(element('div', {}, element('h2', {}, element('a', { href: '#errors' }, 'Errors'))));
}

function showIntroduction({ title, version, description }) {
  document.title = `${title} ${version}: API reference`;
  byId('title').textContent = `${title} ${version}`;
  byId('introduction').replaceChildren(
    ...paragraphs(description),
    element(
      'p',
      {},
      element('a', { href: '#errors' }, 'Errors and their remedies'),
      ' · ',
      element('a', { href: '/openapi.json' }, 'OpenAPI 3.1 document'),
    ),
  );
}

function showFailure(error) {
  byId('found').textContent = `The reference could not be loaded: ${error.message}`;
}

/** Opens the operation in the address when its details are loaded. */
async function follow() {
  const named = decodeURIComponent(location.hash.slice(1));
  if (named === '') return;
  const id = idByAlias.get(named) ?? named;
  await groupById.get(id)?.load();
  const view = byId(id);
  if (view?.closest('[hidden]')) clearSearch();
  if (view?.tagName === 'DETAILS') view.open = true;
  view?.scrollIntoView();
}

const idle = () => new Promise((resolve) => (globalThis.requestIdleCallback ?? setTimeout)(resolve));

/** Loads the details of all groups, so that the browser's find-in-page reaches closed operations. */
async function loadWhenIdle(groups) {
  for (const group of groups) {
    await idle();
    await group.load();
  }
}

function startMenu() {
  const button = byId('menu');
  const setOpen = (isOpen) => {
    button.setAttribute('aria-expanded', String(isOpen));
    byId('contents').classList.toggle('open', isOpen);
  };
  button.addEventListener('click', () => setOpen(button.getAttribute('aria-expanded') !== 'true'));
  byId('contents').addEventListener('click', (event) => event.target.closest('a') && setOpen(false));
}

async function show() {
  const { errors, groups: named, ...introduction } = await json('/docs/index.json');
  showIntroduction(introduction);
  const groups = named.map(showGroup);
  showErrors(errors);
  startMenu();
  startSearch(() => Promise.all(groups.map((group) => group.load())));
  addEventListener('hashchange', () => void follow().catch(showFailure));
  byId('found').replaceChildren();
  await follow();
  await loadWhenIdle(groups);
}

await show().catch(showFailure);
