import { sql } from 'kysely';
import type { Clock } from '../../domain/deliveries/clock.ts';
import { messageSecrets } from '../../domain/deliveries/message-secrets.ts';
import { transports } from '../../domain/deliveries/open-transport.ts';
import { ReaderPace } from '../../domain/deliveries/slack-transport.ts';
import { openSenders } from '../../domain/deliveries/senders.ts';
import { drainLane } from '../../domain/deliveries/drain-lane.ts';
import type { DrainOptions } from '../../domain/deliveries/drain-options.ts';
import { attemptLimits } from '../../domain/deliveries/send-deliveries.ts';
import { sendDue, type SendTurnEnd } from '../../domain/deliveries/send-turn.ts';
import type { Messaging } from '../../platform/config/messaging.ts';
import { PermissionProvider } from '../../domain/permissions/provider/permission-provider.ts';
import type { SentChannel } from '../../domain/notices/channels.ts';
import type { TestApi } from './api.ts';
import { aDocument, aTenant, type TestTenant } from './factories.ts';

/** A key whose notifications are sent as e-mails. `notification` contains members of the service's settings. */
export async function aMailingTenant(
  api: TestApi,
  notification: object = {},
  email: object = {},
): Promise<TestTenant> {
  const tenant = await aTenant(api);
  await tenant.ok('/v2/workspace/notificationconfig/update', {
    useNotificationService: true,
    ...(Object.keys(notification).length > 0 && { notificationServiceConfig: notification }),
  });
  await tenant.ok('/v2/workspace/emailconfig/update', {
    useEmailService: true,
    ...(Object.keys(email).length > 0 && { emailServiceConfig: email }),
  });
  return tenant;
}

/** A clock that is never behind the database's. */
export const movedClock: Clock = (workflowMs) =>
  sql<Date>`greatest(now(), to_timestamp(${workflowMs} / 1000.0))`;

/** Senders through a mail server at `mailUrl`. SendGrid and Slack are unreachable. */
export const messagingBy = (mailUrl: string | undefined): Messaging => ({
  mailServer: mailUrl,
  from: mailUrl === undefined ? undefined : 'steward@mail.test',
  emailsPerSecond: 0,
  retryDelaysMs: [0, 30_000],
  fromDomains: [],
  paused: false,
  sendGridUrl: 'http://127.0.0.1:1/v3',
  slackUrl: 'http://127.0.0.1:1/api',
  publicUrl: undefined,
});

/** Runs turns of senders within the test, through a mail server at `mailUrl`. */
export function sendersOf(
  api: TestApi,
  mailUrl: string | undefined,
  { messaging: given, ...others }: Partial<DrainOptions> & { readonly messaging?: Partial<Messaging> } = {},
) {
  const messaging = { ...messagingBy(mailUrl), ...given };
  const senders = openSenders(messaging, () => undefined);
  const { orm, keyRing } = api;
  const permissionProvider = new PermissionProvider({ orm, keyRing, allowedNetworks: ['127.0.0.0/8'] });
  const secrets = messageSecrets({ orm, keyRing });
  const options: DrainOptions = {
    orm,
    messageSecrets: secrets,
    clock: movedClock,
    permissionProvider,
    openTransport: transports({
      orm,
      keyRing,
      messageSecrets: secrets,
      senders,
      messaging,
      pace: new ReaderPace(),
    }),
    retryDelaysMs: messaging.retryDelaysMs,
    emailsPerSecond: messaging.emailsPerSecond,
    signal: new AbortController().signal,
    onOutcome: () => undefined,
    onEnded: () => undefined,
    onUnknown: () => undefined,
    ...others,
  };
  return {
    /** Runs a turn. `inMs` is the milliseconds by which the clock of due times is ahead. */
    turn: async (tenant: TestTenant, inMs = 0, channel: SentChannel = 'email'): Promise<SendTurnEnd> =>
      sendDue(options, { keyId: tenant.keyId, channel, now: Date.now() + inMs }),
    /** Sends what is due at the end of a turn. Returns the number of messages sent. */
    turnAtItsEnd: async (tenant: TestTenant): Promise<number> => {
      const ref = { keyId: tenant.keyId, channel: 'email', now: Date.now() } as const;
      const claimsUntil = performance.now() + 60_000;
      const limits = attemptLimits();
      return (await drainLane(options, { ref, claimsUntil, endsAt: performance.now() - 1, limits })).sent;
    },
    close: senders.close,
  };
}

/** Adds a notification from Ada to Ben in a new document. */
export async function notified(tenant: TestTenant, members: object = {}) {
  const location = await aDocument(tenant);
  return notifiedIn(tenant, location, members);
}

export async function notifiedIn(tenant: TestTenant, location: object, members: object = {}) {
  const { data } = await tenant.ok<{ notificationId: string }>('/v2/notifications/add', {
    ...location,
    actionUser: { userId: 'ada', name: 'Ada' },
    displayHeadlineMessageTemplate: '{actionUser} asked',
    displayBodyMessage: 'Is this the plan?',
    notifyUsers: [{ userId: 'ben', email: 'ben@users.test' }],
    ...members,
  });
  return { ...location, notificationId: data.notificationId };
}

/** Returns the ended deliveries of a key, oldest first. */
export const logOf = async (api: TestApi, tenant: TestTenant) =>
  api.database.sql<{
    status: number;
    reason: number | null;
    digest: boolean;
    attempts: unknown[];
    items: number;
  }>(
    `select l.status, l.reason, l.digest, l.attempts,
       (select count(*)::int from delivery_item i where i.delivery_id = l.id and i.at = l.at) as items
     from delivery_log l where l.api_key_id = $1 order by l.at, l.id`,
    [tenant.id],
  );

/** Returns the numbers of a key's waiting rows. */
export async function waitingOf(api: TestApi, tenant: TestTenant) {
  const [counts] = await api.database.sql<{ notices: number; windows: number; outgoing: number }>(
    `select (select count(*)::int from notice where api_key_id = $1) as notices,
       (select count(*)::int from notice_window where api_key_id = $1) as windows,
       (select count(*)::int from outgoing where api_key_id = $1) as outgoing`,
    [tenant.id],
  );
  return counts;
}
