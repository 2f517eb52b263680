/** HTML that is safe to embed. Only `markup` creates it. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Tag for HTML templates. Escapes every embedded text; embeds `Markup` and arrays of it unchanged. */
export const markup = (parts: TemplateStringsArray, ...values: readonly Embedded[]): Markup =>
  new Markup(parts.map((part, at) => part + embedded(values[at])).join(''));

type Embedded = string | number | Markup | readonly Markup[] | undefined;

function embedded(value: Embedded): string {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return value.map(({ text }) => text).join('');
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);

/** Returns the lines of a text, with HTML line breaks between them. */
export const lines = (text: string): readonly Markup[] =>
  text.split('\n').map((line, at) => (at === 0 ? markup`${line}` : markup`<br>${line}`));
