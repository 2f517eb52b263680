import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { ModalDialog } from './dialogs.tsx';
import { CopyButton } from './identifier.tsx';

/** A secret that was just created. The page shows it once and does not store it. */
export function Secret({
  title,
  value,
  warning,
  children,
  close,
}: {
  readonly title: string;
  readonly value: string;
  /** Of the act that created the secret. */
  readonly warning?: string | undefined;
  readonly children?: ReactNode;
  readonly close: () => void;
}): ReactNode {
  return (
    <ModalDialog title={title} close={close} keep>
      <p>Copy it now. The console shows it only once.</p>
      <p className="notice warn">
        <code>{value}</code>
        <CopyButton value={value} label="Copy the secret" />
      </p>
      {children !== undefined && <p>{children}</p>}
      {warning !== undefined && <output className="notice warn">{warning}</output>}
      <div className="actions">
        <Button look="primary" onPress={close}>
          I have copied it
        </Button>
      </div>
    </ModalDialog>
  );
}
