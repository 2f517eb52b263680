import type { ReactNode } from 'react';
import type { WebhookMessage } from '@steward/client';
import { Status, type Tone } from './status.tsx';

const tones: Readonly<Record<string, Tone>> = {
  pending: 'busy',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'warn',
};

export function MessageState({
  message: { status, statusReason },
}: {
  readonly message: Pick<WebhookMessage, 'status' | 'statusReason'>;
}): ReactNode {
  return (
    <>
      <Status tone={tones[status] ?? 'plain'}>{status}</Status>
      {statusReason !== null && <span className="quiet"> {statusReason}</span>}
    </>
  );
}
