import { useState, type ReactNode, type SubmitEvent } from 'react';
import { Dialog, Heading } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { Failure } from './states.tsx';
import { useReturnedFocus } from './returned-focus.ts';
import { visibleText } from './visible-text.ts';

export interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ReactNode;
  readonly wide?: boolean;
  /** Only a button closes the dialog: its content is shown once, or its act runs. */
  readonly keep?: boolean;
}

/** A modal dialog; Escape and a press outside close it. The focus returns to where it was. */
export function ModalDialog({ title, close, children, wide = false, keep = false }: DialogProps): ReactNode {
  useReturnedFocus();
  return (
    <ModalOverlay
      isOpen
      isDismissable={!keep}
      isKeyboardDismissDisabled={keep}
      onOpenChange={(open) => {
        if (!open) close();
      }}
      className="overlay"
    >
      <Modal>
        <Dialog className={wide ? 'dialog wide' : 'dialog'}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Closes a dialog, except while its act runs: the result may be a secret that is shown once. */
export const CancelButton = ({
  close,
  pending,
}: {
  readonly close: () => void;
  readonly pending: boolean;
}): ReactNode => (
  <Button onPress={close} isDisabled={pending}>
    Cancel
  </Button>
);

/** Shows the warning of an act that succeeded. */
export function WarningDialog({
  title,
  warning,
  close,
}: {
  readonly title: string;
  readonly warning: string;
  readonly close: () => void;
}): ReactNode {
  return (
    <ModalDialog title={title} close={close}>
      <output className="notice warn">{warning}</output>
      <div className="actions">
        <Button look="primary" onPress={close}>
          Close
        </Button>
      </div>
    </ModalDialog>
  );
}

export interface ConfirmProps {
  readonly title: string;
  /** Describes the effect, with its count. */
  readonly children: ReactNode;
  readonly action: string;
  /** The text to type before the act. Without it, a press is enough. */
  readonly typed?: string | undefined;
  readonly danger?: boolean;
  readonly pending: boolean;
  readonly error: unknown;
  readonly confirm: () => void;
  readonly close: () => void;
  readonly isDisabled?: boolean;
}

/**
 * Whether the text is the required one, or that text as the page shows it: a page hides a space at the end of a name,
 * and a field of one line accepts no line break.
 */
function isTyped(text: string, required: string): boolean {
  if (text === required) return true;
  const shown = visibleText(required).trim();
  return shown !== '' && visibleText(text) === shown;
}

/** Requires a confirmation of an action. */
export function ConfirmDialog(props: ConfirmProps): ReactNode {
  const { title, children, action, typed, danger = true, pending, error, confirm, close, isDisabled } = props;
  const [text, setText] = useState('');
  // The failure of an attempt before this dialog was opened.
  const [former] = useState(error);
  const ready = (typed === undefined || isTyped(text, typed)) && isDisabled !== true;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (ready && !pending) confirm();
  };
  return (
    <ModalDialog title={title} close={close} keep={pending}>
      <form className="stack" onSubmit={submit}>
        {children}
        {typed !== undefined && (
          <TextField
            label={`Type ${typed} to confirm`}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
        {error !== null && error !== undefined && error !== former && <Failure error={error} />}
        <div className="actions">
          <Button
            type="submit"
            look={danger ? 'danger primary' : 'primary'}
            isDisabled={!ready}
            isPending={pending}
          >
            {action}
          </Button>
          <CancelButton close={close} pending={pending} />
        </div>
      </form>
    </ModalDialog>
  );
}
