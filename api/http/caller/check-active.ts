import type { Disabled } from '../../../domain/credentials/authenticate.ts';
import { messages } from '../../../domain/messages.ts';
import { TransportError } from '../response/transport-error.ts';

/** Throws PERMISSION_DENIED for a disabled key or workspace. */
export function checkActive({ disabled }: { readonly disabled: Disabled | null }): void {
  if (disabled === 'workspace') throw new TransportError('PERMISSION_DENIED', messages.workspaceDisabled);
  if (disabled === 'key') throw new TransportError('PERMISSION_DENIED', messages.apiKeyDisabled);
}
