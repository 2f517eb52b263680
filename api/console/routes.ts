import Router from '@koa/router';
import { recordAuditEntries } from '../../domain/audit/record-entries.ts';
import { idleExpiryOf } from '../../domain/console/session-times.ts';
import { endSession, listSessions } from '../../domain/console/sessions.ts';
import { notFound } from '../../domain/errors.ts';
import { withConnectionsOf } from '../../platform/database/connection-shares.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { inRetriedTransaction } from '../http/act/execute.ts';
import { operationMiddleware } from '../http/application.ts';
import { actorOf } from '../http/caller/actor.ts';
import { ownerOf } from '../http/caller/authenticate.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { RequestContext, RequestMiddleware, RequestState, Routed } from '../http/middleware/state.ts';
import { envelope } from '../http/response/envelope.ts';
import { TransportError } from '../http/response/transport-error.ts';
import { validate } from '../http/request/validate.ts';
import { consoleFiles } from './files.ts';
import { consoleMessages } from './messages.ts';
import { OperatorActs } from './operator-acts.ts';
import { sameOrigin } from './same-origin.ts';
import { sentData } from './sent-data.ts';
import { bySession, requireSession, type OpenSession, type Sessions } from './session-caller.ts';
import { sessionIdOf, setSessionCookie } from './session-cookie.ts';
import { sessionView, type SessionSettings } from './session-view.ts';
import { signIn, signInData } from './sign-in.ts';

/** Dependencies of the console. */
export interface ConsoleOptions extends Sessions, SessionSettings {
  readonly endpoints: readonly Endpoint[];
  /** The folder of the built pages, which may be missing. */
  readonly folder: URL;
}

const prefix = '/console';

/** Serves `/console`: its pages, sessions, and the operations of the API by session. Passes other paths on. */
export function consoleRoutes(options: ConsoleOptions): RequestMiddleware {
  const router = new Router<RequestState, Routed>({ strict: true, sensitive: true });
  const own = sameOrigin(options.services.publicUrl);
  const acts = new OperatorActs(options);
  for (const endpoint of options.endpoints) {
    for (const path of endpoint.paths) {
      const operation = { endpoint, path };
      const steps = { identify: bySession(options, endpoint), admit: acts.of(operation) };
      // The route has the operation's name, for its metrics and declared failures.
      router.post(path, `${prefix}/api${path}`, own, ...operationMiddleware(options, operation, steps));
    }
  }
  const session = `${prefix}/session`;
  const sessions = `${prefix}/sessions`;
  router
    .post(session, session, own, (context) => begin(options, context))
    .get(session, session, own, async (context) =>
      show(options, context, await requireSession(options, context)),
    )
    .delete(session, session, own, (context) => signOut(options, context))
    .get(sessions, sessions, own, (context) => list(options, context))
    .delete(sessions, `${sessions}/:id`, own, (context) =>
      revoke(options, context, context.params['id'] ?? ''),
    );
  const routes = router.routes();
  const files = consoleFiles(options.folder);
  return async function console(context, next) {
    if (context.path !== prefix && !context.path.startsWith(`${prefix}/`)) return next();
    context.set(securityHeaders);
    const routed = context as unknown as Parameters<typeof routes>[0];
    return routes(routed, async () => files(context, next));
  };
}

/** Headers of every console response. Pages replace the policy. */
const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

function respond(context: RequestContext, message: string, data: unknown): void {
  context.status = 200;
  context.type = 'application/json; charset=utf-8';
  context.body = envelope(message, data);
}

async function begin(options: ConsoleOptions, context: RequestContext): Promise<void> {
  const { data: sent, ...shape } = await sentData(options, context);
  const { data } = await validate(signInData, sent, { passOverUnknown: false, ...shape });
  const sessionId = await signIn(options, context, data);
  setSessionCookie(context, sessionId);
  await show(options, context, await requireSession(options, context, sessionId));
}

/** Runs statements of a session with its owner's share of the connections. */
const asOwner = async <Result>(scope: OpenSession, act: () => Promise<Result>): Promise<Result> =>
  withConnectionsOf(ownerOf({ scope }), act);

async function show(options: ConsoleOptions, context: RequestContext, session: OpenSession): Promise<void> {
  const view = await asOwner(session, async () => sessionView(options.orm.em.fork(), session, options));
  respond(context, 'Session retrieved successfully.', view);
}

async function signOut(options: ConsoleOptions, context: RequestContext): Promise<void> {
  // A session that has ended meanwhile counts as signed out.
  if (sessionIdOf(context) !== undefined) {
    const session = await requireSession(options, context).catch((error: unknown) => {
      if (error instanceof TransportError && error.status === 'UNAUTHENTICATED') return undefined;
      throw error;
    });
    if (session !== undefined) await end(options, context, session, session.id);
  }
  setSessionCookie(context, undefined);
  respond(context, 'Signed out successfully.', null);
}

async function list(options: ConsoleOptions, context: RequestContext): Promise<void> {
  const session = await requireSession(options, context);
  const found = await asOwner(session, async () => listSessions(options.orm.em.fork(), session));
  const views = found.map((one) => ({
    id: one.id,
    createdAt: one.createdAt.getTime(),
    lastUsedAt: one.lastUsedAt.getTime(),
    expiresAt: idleExpiryOf(one),
    userAgent: one.userAgent,
    current: one.id === session.id,
  }));
  respond(context, 'Sessions retrieved successfully.', views);
}

async function revoke(options: ConsoleOptions, context: RequestContext, id: string): Promise<void> {
  const session = await requireSession(options, context);
  // PostgreSQL has no text with U+0000.
  const ended = !id.includes('\0') && (await end(options, context, session, id));
  if (!ended) throw notFound(consoleMessages.sessionMissing);
  if (id === session.id) setSessionCookie(context, undefined);
  respond(context, 'Session revoked successfully.', null);
}

/** Ends a session of the same token, with its audit entry. Returns whether it existed. */
async function end(
  options: ConsoleOptions,
  context: RequestContext,
  session: OpenSession,
  id: string,
): Promise<boolean> {
  const act = async (em: EntityManager): Promise<boolean> => {
    const ended = await endSession(em, session, id);
    if (ended)
      await recordAuditEntries(em, options.keyRing, {
        actor: actorOf(context, session.kind),
        action: id === session.id ? 'console.sign_out' : 'console.revoke_session',
        outcome: 'succeeded',
        targets: [id],
        ...context.state.session?.owner,
      });
    return ended;
  };
  return asOwner(session, async () => inRetriedTransaction(options, act));
}
