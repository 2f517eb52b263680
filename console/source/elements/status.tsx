import type { ReactNode } from 'react';

export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'plain';

/** A symbol for each tone, so that color alone never conveys a status. */
const signs: Readonly<Record<Tone, string>> = { good: '✓', busy: '◔', warn: '!', bad: '✕', plain: '○' };

export function Status({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }): ReactNode {
  return (
    <span className={`status ${tone}`}>
      <span aria-hidden="true">{signs[tone]}</span>
      {children}
    </span>
  );
}
