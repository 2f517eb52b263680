import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { changedBy } from '../../../platform/database/statements.ts';
import { randomToken } from '../../../platform/encryption/tokens.ts';
import { failedPrecondition } from '../../errors.ts';
import { messages } from '../../messages.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import { countUsage } from '../../tenancy/usage.ts';
import { fencedResponses } from '../delivery/fenced-responses.ts';
import { indexResponses } from '../delivery/record.ts';
import { resolve, type Destination } from '../delivery/resolve.ts';
import { send, type AttemptOutcome, type AttemptContext } from '../delivery/send.ts';
import { attemptStatuses, messageStatuses, triggers } from '../delivery/message.ts';
import { holdReason, type Message } from '../delivery/payload.ts';
import { endpointMissing } from '../endpoints/endpoint-row.ts';
import { featureTypeOf } from '../delivery/payload.ts';
import { findEventType } from '../event-types.ts';
import type { WebhookAttempt } from '../provider.ts';
import { attemptId } from './list-attempts.ts';

/** A test message and its destination. */
export interface PreparedTest {
  readonly destination: Destination;
  readonly message: Message;
}

/** Builds a message from the example of an event type. Throws NOT_FOUND, or FAILED_PRECONDITION for a disabled endpoint. */
export async function prepareTest(
  em: EntityManager,
  keyRing: KeyRing,
  endpoint: { readonly tenantId: string; readonly endpointId: string },
  eventType: string,
): Promise<PreparedTest> {
  const destination = await resolve(em, keyRing, endpoint);
  const there = destination?.kind === endpointKinds.advanced && destination.state !== 'deleted';
  if (!there) throw endpointMissing();
  if (destination.state === 'disabled') throw failedPrecondition(messages.webhookEndpointDisabled);
  const data = JSON.stringify(findEventType(eventType)?.example ?? {});
  const message = {
    webhookId: randomToken('evt'),
    type: eventType,
    source: featureTypeOf(eventType, data),
    sequence: null,
    channels: [],
    data,
    at: Date.now() + destination.clockAheadMs,
  };
  return { destination, message };
}

/** Makes one attempt; fails without sending while encryption is on without a usable public key. */
export async function sendTest(
  context: AttemptContext,
  { destination, message }: PreparedTest,
): Promise<AttemptOutcome> {
  const held = holdReason(destination.options);
  if (held === undefined) return send(context, destination, message);
  const nothing = { durationMs: 0, httpStatus: null, response: '', retryAfterMs: undefined, gone: false };
  return { ...nothing, at: Date.now(), error: held };
}

/**
 * Records a test and returns its attempt, without a response that names a user under deletion. Throws NOT_FOUND when the
 * endpoint or its API key has been deleted since the test was sent: their deletion has verified that no row is left.
 */
export async function recordTest(
  em: EntityManager,
  { destination, message }: PreparedTest,
  received: AttemptOutcome,
): Promise<WebhookAttempt> {
  const { id, tenantId } = destination;
  const fenced = await fencedResponses(em, { id: tenantId }, [received]);
  const outcome = fenced.size > 0 ? { ...received, response: '' } : received;
  const status = outcome.error === null ? 'succeeded' : 'failed';
  // One statement inserts event, ended message and attempt. The message has no sequence number.
  const recorded = await changedBy(
    em,
    sql`with written as (
      insert into event (at, api_key_id, public_id, type, channels, payload)
      select to_timestamp(${message.at}::float8 / 1000), ${tenantId}::bigint, ${message.webhookId}, ${message.type}, '{}',
        ${message.data}
      from webhook_endpoint w join api_key k on k.id = w.api_key_id
      where w.id = ${id} and w.api_key_id = ${tenantId} and w.deleted_at is null and k.deleted_at is null
      returning id, at),
    delivered as (
      insert into delivery (event_at, event_id, api_key_id, endpoint_id, status, status_reason, attempts, retry_at, next_at)
      select at, id, ${tenantId}, ${id}, ${messageStatuses[status]}, ${outcome.error}, 1, null, null from written)
    insert into attempt (event_at, event_id, api_key_id, endpoint_id, no, at, trigger, status, http_status, ms, error, response)
    select at, id, ${tenantId}, ${id}, 1, to_timestamp(${outcome.at}::float8 / 1000), ${triggers.test},
      ${attemptStatuses[status]}, ${outcome.httpStatus}, ${outcome.durationMs}, ${outcome.error}, ${outcome.response}
    from written`,
  );
  if (recorded === 0) throw endpointMissing();
  countUsage(em, tenantId, 'events', 1);
  countUsage(em, tenantId, 'deliveries', 1);
  await indexResponses(em, destination, [outcome]);
  return {
    id: attemptId(destination.publicId, message.webhookId, 1),
    messageId: message.webhookId,
    endpointId: destination.publicId,
    eventType: message.type,
    attemptNumber: 1,
    status,
    responseStatusCode: outcome.httpStatus,
    response: outcome.response,
    error: outcome.error,
    durationMs: outcome.durationMs,
    timestamp: outcome.at,
    trigger: 'test',
  };
}
