import { codeBlock, element, prose } from './elements.js';

/** Credentials by header, in memory only: a reload forgets them. */
const credentials = new Map();

const maxShown = 100_000;
const timeoutMs = 60_000;

/** A form that sends the operation to this deployment. */
export function sendForm({ path, writes, credentials: names, request }) {
  const body = element('textarea', { rows: '10', spellcheck: 'false', autocomplete: 'off' });
  body.value = JSON.stringify(request.example, undefined, 2);
  const button = element('button', { type: 'button', class: 'primary' }, 'Send');
  const outcome = element('div', { class: 'outcome', role: 'status' });
  button.addEventListener('click', async () => {
    const problem = missing(names) ?? invalid(body.value);
    if (problem) return void outcome.replaceChildren(element('p', { class: 'problem' }, problem));
    if (writes && !(await confirmed(path))) return;
    button.disabled = true;
    outcome.replaceChildren(element('p', {}, 'Sending…'));
    outcome.replaceChildren(...(await sent(path, names, body.value)));
    button.disabled = false;
  });
  return element(
    'div',
    { class: 'send' },
    element(
      'p',
      { class: 'note' },
      `Sends to ${location.host}. Credentials stay in the memory of this page.`,
    ),
    ...names.map(credentialField),
    element('label', {}, 'Body', body),
    element('div', { class: 'actions' }, button),
    outcome,
  );
}

/** Not a password field: password managers would offer to store it. */
function credentialField(name) {
  const attributes = {
    type: 'text',
    class: 'secret',
    autocomplete: 'off',
    spellcheck: 'false',
    'data-header': name,
  };
  const input = element('input', attributes);
  input.value = credentials.get(name) ?? '';
  input.addEventListener('input', () => {
    credentials.set(name, input.value.trim());
    for (const other of document.querySelectorAll(`[data-header="${name}"]`)) other.value = input.value;
  });
  return element('label', {}, element('code', {}, name), input);
}

function missing(names) {
  const name = names.find((one) => !credentials.get(one));
  return name && `Enter ${name}.`;
}

function invalid(text) {
  try {
    JSON.parse(text);
  } catch (error) {
    return `The body is not JSON: ${error.message}`;
  }
}

async function sent(path, names, body) {
  const started = performance.now();
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...Object.fromEntries(names.map((name) => [name, credentials.get(name)])),
      },
      body,
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    const took = Math.round(performance.now() - started);
    return [codeBlock(`${response.status} after ${took} ms`, shown(text)), ...requestIdOf(response)];
  } catch (error) {
    return [element('p', { class: 'problem' }, `No response: ${error.message}`)];
  }
}

function requestIdOf(response) {
  const id = response.headers.get('x-request-id');
  return id === null ? [] : [element('p', { class: 'note' }, ...prose(`Request id \`${id}\``))];
}

function shown(text) {
  if (text.length > maxShown)
    return `${text.slice(0, maxShown)}\n… ${text.length - maxShown} more characters`;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** Resolves to whether the reader confirmed a call that changes data. */
function confirmed(path) {
  const cancel = element('button', { type: 'button' }, 'Cancel');
  const send = element('button', { type: 'button', class: 'primary' }, 'Send');
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'confirm' },
    element('h2', { id: 'confirm' }, 'This call changes data'),
    element('p', {}, ...prose(`Send \`POST ${path}\` to \`${location.host}\`?`)),
    element('div', { class: 'actions' }, cancel, send),
  );
  document.body.append(dialog);
  cancel.addEventListener('click', () => dialog.close());
  send.addEventListener('click', () => dialog.close('send'));
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'send');
    });
  });
}
