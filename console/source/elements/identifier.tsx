import { useState, type ReactNode } from 'react';

/** An id with a button that copies it; `children` are shown instead of the id, for instance a link. */
export function Identifier({
  value,
  children,
}: {
  readonly value: string;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <span className="identifier">
      <code title={value}>{children ?? value}</code>
      <CopyButton value={value} />
    </span>
  );
}

export function CopyButton({
  value,
  label = `Copy ${value}`,
}: {
  readonly value: string;
  readonly label?: string;
}): ReactNode {
  const [copied, setCopied] = useState<'no' | 'yes' | 'denied'>('no');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied('yes');
    } catch {
      setCopied('denied');
    }
  };
  const shown = { no: 'Copy', yes: 'Copied', denied: 'Select it to copy' }[copied];
  return (
    <button
      type="button"
      className="copy"
      aria-label={copied === 'no' ? label : shown}
      onClick={() => void copy()}
      onBlur={() => setCopied('no')}
    >
      {shown}
    </button>
  );
}
