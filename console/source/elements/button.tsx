import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';

export interface ButtonProps extends Pick<AriaButtonProps, 'onPress' | 'isDisabled' | 'autoFocus'> {
  readonly children: ReactNode;
  readonly look?: 'primary' | 'danger' | 'danger primary' | 'small' | 'small danger';
  readonly type?: 'button' | 'submit';
  /** Keeps the focus and ignores presses while an act runs. */
  readonly isPending?: boolean;
  readonly label?: string;
}

export function Button({ children, look, label, ...props }: ButtonProps): ReactNode {
  return (
    <AriaButton
      {...props}
      {...(label !== undefined && { 'aria-label': label })}
      className={['button', look].filter(Boolean).join(' ')}
    >
      {props.isPending === true ? 'Working …' : children}
    </AriaButton>
  );
}
