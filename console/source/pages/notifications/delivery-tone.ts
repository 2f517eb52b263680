import type { Tone } from '../../elements/status.tsx';

const tones: Readonly<Record<string, Tone>> = {
  waiting: 'busy',
  batching: 'busy',
  queued: 'busy',
  sending: 'busy',
  held: 'warn',
  sent: 'good',
  delivered: 'good',
  bounced: 'bad',
  complained: 'bad',
  failed: 'bad',
};

/** The tone of the status of a delivery, or of the outcome of a notification. */
export const deliveryTone = (status: string): Tone => tones[status] ?? 'plain';
