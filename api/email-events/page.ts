import { setTimeout as pause } from 'node:timers/promises';
import { findEmailHook } from '../../domain/configuration/find-email-hook.ts';
import { anyUnended, endReported } from '../../domain/deliveries/end-reported.ts';
import { applyReports, type DeliveryReport } from '../../domain/notices/apply-reports.ts';
import { withConnectionsOf } from '../../platform/database/connection-shares.ts';
import type { Orm } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { inTurns } from '../../platform/process/in-turns.ts';
import { inRetriedTransaction } from '../http/act/execute.ts';
import type { Page } from '../http/application.ts';
import { keyOwner } from '../http/caller/authenticate.ts';
import type { RateLimiter } from '../http/caller/rate-limiter.ts';
import type { RequestContext } from '../http/middleware/state.ts';
import { parseJson } from '../http/request/parse-json.ts';
import { receivePublicBody, type PublicBodies } from '../http/request/receive-public-body.ts';
import { isSigned, reportsOf } from './sendgrid-events.ts';

export interface EmailEventsOptions extends PublicBodies {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  readonly rateLimiter: RateLimiter;
}

/** 24 random bytes in base64url. */
const hookForm = /^[\w-]{32}$/;

/** A report may arrive before the sender has recorded the delivery. SendGrid retries a request that got 503. */
const recording = { checks: 4, everyMs: 500, retryAfterSeconds: 60 } as const;

/**
 * `/email/events/{hookId}`: accepts the reports of a key's SendGrid account. Its signature is the only credential. A report
 * counts for the key's rate limit, and uses the key's share of the database connections.
 */
export function emailEventsPage(options: EmailEventsOptions): Page {
  return {
    path: '/email/events/:hookId',
    name: '/email/events/{hookId}',
    method: 'POST',
    response: async (context) => {
      const { status, retryAfter } = await responseOf(options, context);
      context.status = status;
      if (retryAfter !== undefined) context.set('Retry-After', String(retryAfter));
      context.set('Cache-Control', 'no-store');
      context.type = 'text/plain; charset=utf-8';
      context.body = context.status === 200 ? 'OK\n' : 'Not accepted.\n';
    },
  };
}

interface ReportResponse {
  readonly status: number;
  /** Seconds. */
  readonly retryAfter?: number;
}

const later: ReportResponse = { status: 503, retryAfter: recording.retryAfterSeconds };

/**
 * Returns 200 once the reports are applied, 404 for an unknown hook, 403 without a valid signature, and 400 for a body
 * that is not a list. Returns 503 while the key is disabled and while a reported delivery is being sent, and 429 beyond
 * the key's rate: SendGrid repeats these reports.
 */
async function responseOf(options: EmailEventsOptions, context: RequestContext): Promise<ReportResponse> {
  const { orm, keyRing, rateLimiter } = options;
  const { hookId = '' } = context.params ?? {};
  const hook = hookForm.test(hookId) ? await findEmailHook(orm.em.fork(), hookId) : undefined;
  if (hook === undefined) return { status: 404 };
  if (!hook.active) return later;
  if (hook.eventPublicKey === '') return { status: 403 };
  const { tenantId } = hook;
  const body = await receivePublicBody(options, context, `email-events/${tenantId}`);
  const timestamp = context.get('x-twilio-email-event-webhook-timestamp');
  const signature = context.get('x-twilio-email-event-webhook-signature');
  if (!isSigned({ body, timestamp, signature }, hook.eventPublicKey)) return { status: 403 };
  const rate = rateLimiter.admit(tenantId, hook);
  if (rate?.allowed === false) return { status: 429, retryAfter: rate.retryAfter };
  const { value: events } = await parseJson(body);
  if (!Array.isArray(events)) return { status: 400 };
  const reports = await inTurns(reportsOf(events));
  if (reports.length === 0) return { status: 200 };
  return withConnectionsOf(keyOwner(tenantId), async () => {
    if (!(await areRecorded(options, tenantId, reports))) return later;
    await inRetriedTransaction(options, async (em) => applyReports(em, keyRing, tenantId, reports));
    return { status: 200 };
  });
}

/**
 * Returns whether the deliveries have ended. Waits at most 2 s for those that are being sent, and ends those whose last
 * attempt failed or is unknown.
 */
async function areRecorded(
  options: EmailEventsOptions,
  tenantId: string,
  reports: readonly DeliveryReport[],
): Promise<boolean> {
  const deliveryIds = [...new Set(reports.map(({ deliveryId }) => deliveryId))];
  for (let check = 1; ; check += 1) {
    if (!(await anyUnended(options.orm.em.fork(), tenantId, deliveryIds))) return true;
    if ((await inRetriedTransaction(options, async (em) => endReported(em, tenantId, deliveryIds))) > 0)
      continue;
    if (check > recording.checks) return false;
    await pause(recording.everyMs);
  }
}
