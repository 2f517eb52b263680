import type { ReactNode } from 'react';
import type { WebhookEndpoint } from '@steward/client';
import { Status } from './status.tsx';

export function EndpointState({
  endpoint: { disabled, disabledReason },
}: {
  readonly endpoint: Pick<WebhookEndpoint, 'disabled' | 'disabledReason'>;
}): ReactNode {
  if (!disabled) return <Status tone="good">Enabled</Status>;
  return (
    <Status tone={disabledReason === null ? 'warn' : 'bad'}>
      {disabledReason === null ? 'Disabled' : `Disabled: ${disabledReason}`}
    </Status>
  );
}
