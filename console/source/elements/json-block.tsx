import type { ReactNode } from 'react';

/** Max characters of a shown value: a page must stay small. */
const maxLength = 20_000;

/** A value as text, never as HTML. */
export function JsonBlock({ value, label }: { readonly value: unknown; readonly label: string }): ReactNode {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  return (
    // A scrollable region must be focusable, for readers without a pointer.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className="block" aria-label={label} tabIndex={0}>
      <pre>
        {text.length > maxLength
          ? `${text.slice(0, maxLength)}\n… ${String(text.length - maxLength)} more characters`
          : text}
      </pre>
    </section>
  );
}
