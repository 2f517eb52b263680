import { unsubscribe } from '../../domain/notifications/unsubscribe.ts';
import { openUnsubscribeToken, type UnsubscribeSubject } from '../../domain/signing/unsubscribe-tokens.ts';
import { withConnectionsOf } from '../../platform/database/connection-shares.ts';
import type { Orm } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { inRetriedTransaction } from '../http/act/execute.ts';
import type { Page } from '../http/application.ts';
import { keyOwner } from '../http/caller/authenticate.ts';
import type { FailureLimiter } from '../http/caller/failure-limiter.ts';
import type { RequestContext } from '../http/middleware/state.ts';
import { receivePublicBody, type PublicBodies } from '../http/request/receive-public-body.ts';
import { pageHeaders, refusals, sentencePage, unsubscribed, unsubscribePage } from './texts.ts';
import { unsubscribeScope } from './unsubscribe-form.ts';

export interface UnsubscribeOptions extends PublicBodies {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  readonly failureLimiter: FailureLimiter;
}

/**
 * `/unsubscribe/{token}`, the link of each e-mail. GET shows a form and changes nothing, because mail scanners follow
 * links. POST is the form, or the one-click request of a mail provider (RFC 8058). The token is the only credential.
 */
export function unsubscribePages(options: UnsubscribeOptions): readonly Page[] {
  const route = { path: '/unsubscribe/:token', name: '/unsubscribe/{token}' };
  return [
    {
      ...route,
      response: async (context) => {
        const subject = await subjectOf(options, context);
        if (subject !== undefined) send(context, 200, unsubscribePage(subject.document !== undefined));
      },
    },
    {
      ...route,
      method: 'POST',
      response: async (context) => {
        const subject = await subjectOf(options, context);
        if (subject !== undefined) await submit(options, context, subject);
      },
    },
  ];
}

/** Decrypts the token. Responds to an invalid one itself: 404, or 429 to an address that sent too many. */
async function subjectOf(
  { orm, keyRing, failureLimiter }: UnsubscribeOptions,
  context: RequestContext,
): Promise<UnsubscribeSubject | undefined> {
  const { token = '' } = context.params ?? {};
  const subject = await openUnsubscribeToken(orm.em.fork(), keyRing, token);
  if (subject !== undefined) return subject;
  const waitSeconds = await failureLimiter.fail(context.state.address);
  if (waitSeconds > 0) context.set('Retry-After', String(waitSeconds));
  if (waitSeconds > 0) respond(context, 429, refusals.tooManyTokens);
  else respond(context, 404, refusals.unknownToken);
  return undefined;
}

async function submit(
  options: UnsubscribeOptions,
  context: RequestContext,
  subject: UnsubscribeSubject,
): Promise<void> {
  const body = await receivePublicBody(options, context, `unsubscribe/${subject.apiKeyId}`);
  const scope = await unsubscribeScope(body, context.get('content-type'));
  if (scope === undefined) return respond(context, 400, refusals.unknownForm);
  if (scope === 'document' && subject.document === undefined)
    return respond(context, 400, refusals.noDocument);
  await withConnectionsOf(keyOwner(subject.apiKeyId), async () =>
    inRetriedTransaction(options, async (em) => unsubscribe(em, subject, scope)),
  );
  respond(context, 200, unsubscribed[scope]);
}

/** Responds with one sentence: an HTML page for browsers, plain text for mail providers. */
function respond(context: RequestContext, status: number, sentence: string): void {
  if (context.accepts('text', 'html') === 'html') return send(context, status, sentencePage(sentence));
  send(context, status, `${sentence}\n`, 'text/plain; charset=utf-8');
}

function send(
  context: RequestContext,
  status: number,
  body: string,
  type = 'text/html; charset=utf-8',
): void {
  context.status = status;
  context.set(pageHeaders);
  context.type = type;
  context.body = body;
}
