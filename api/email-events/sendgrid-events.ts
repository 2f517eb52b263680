import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import type { DeliveryReport } from '../../domain/notices/apply-reports.ts';
import { type Pausable } from '../../platform/process/in-turns.ts';

/** A signed request of SendGrid's event webhook. */
export interface SignedBody {
  readonly body: Buffer;
  /** Seconds since the epoch, in digits. */
  readonly timestamp: string;
  /** Base64 of an ECDSA signature in DER. */
  readonly signature: string;
}

/** Whether the signature covers timestamp and body. A repeated report changes nothing. `publicKey`: base64 of DER SPKI, P-256. */
export function isSigned({ body, timestamp, signature }: SignedBody, publicKey: string): boolean {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  return verify(
    'sha256',
    Buffer.concat([Buffer.from(timestamp), body]),
    key,
    Buffer.from(signature, 'base64'),
  );
}

/** Outcomes by the name of SendGrid's event. Others are ignored. */
const outcomes = new Map<unknown, DeliveryReport['outcome']>([
  ['delivered', 'delivered'],
  ['bounce', 'bounced'],
  ['dropped', 'failed'],
  ['spamreport', 'complained'],
]);

/** `delivery`: the custom argument of each message. */
const reported = z.object({
  delivery: z.string().max(100),
  email: z.string().min(1).max(1_000).optional().catch(undefined),
  type: z.unknown().optional(),
});

/** Returns the reports about deliveries among the events of a body, in order. */
export function* reportsOf(events: readonly unknown[]): Pausable<DeliveryReport[]> {
  const reports: DeliveryReport[] = [];
  for (const event of events) {
    yield;
    const outcome = outcomes.get((event as { event?: unknown } | null)?.event);
    if (outcome === undefined) continue;
    const { data } = reported.safeParse(event);
    if (data === undefined) continue;
    const isBlocked = outcome === 'bounced' && data.type === 'blocked';
    reports.push({ deliveryId: data.delivery, outcome: isBlocked ? 'failed' : outcome, address: data.email });
  }
  return reports;
}
