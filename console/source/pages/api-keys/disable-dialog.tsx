import type { ReactNode } from 'react';
import { ConfirmDialog } from '../../elements/dialogs.tsx';

interface DisableDialogProps {
  /** The text that confirms that the key is disabled. */
  readonly typed: string;
  /** False: the key is enabled. */
  readonly disables: boolean;
  readonly mutation: { readonly isPending: boolean; readonly error: Error | null };
  readonly confirm: () => void;
  readonly close: () => void;
}

/** Requires a confirmation to disable or enable an API key. Only disabling needs a typed text. */
export function DisableDialog({ typed, disables, mutation, confirm, close }: DisableDialogProps): ReactNode {
  return (
    <ConfirmDialog
      title={disables ? 'Disable 1 API key' : 'Enable 1 API key'}
      action={disables ? 'Disable the key' : 'Enable the key'}
      typed={disables ? typed : undefined}
      danger={disables}
      pending={mutation.isPending}
      error={mutation.error}
      confirm={confirm}
      close={close}
    >
      <p>
        {disables
          ? 'Every call with the key is refused at once. Its jobs and deliveries pause.'
          : 'Calls with the key work again. Its jobs and deliveries continue.'}
      </p>
    </ConfirmDialog>
  );
}
