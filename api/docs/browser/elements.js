// Builds elements. Text is set as text nodes only, never as markup.

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export const byId = (id) => document.querySelector(`#${CSS.escape(id)}`);

/** Renders text in backticks as code. */
export function prose(text) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}

/** Renders a paragraph for each text between empty lines. */
export const paragraphs = (text) => text.split('\n\n').map((part) => element('p', {}, ...prose(part)));

/** Renders a path that can wrap after each slash. */
export function breakable(path) {
  return path.split(/(?<=\/)/).flatMap((part) => [part, element('wbr')]);
}

/** A button that copies what `read` returns. */
export function copyButton(read) {
  const button = element('button', { type: 'button' }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(read());
      button.textContent = 'Copied';
    } catch {
      // Browsers allow clipboard access only over TLS or on localhost.
      const code = button.closest('.code')?.querySelector('pre');
      if (code) getSelection()?.selectAllChildren(code);
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  return button;
}

/** A block of code below a bar with its title and a button that copies it. */
export function codeBlock(title, text) {
  const bar = element(
    'div',
    { class: 'bar' },
    element('span', {}, title),
    copyButton(() => text),
  );
  return element('div', { class: 'code' }, bar, element('pre', { tabindex: '0', 'aria-label': title }, text));
}
