import { setTimeout as pause } from 'node:timers/promises';
import { oneOf, seededRandom } from '../../bench/random.ts';
import { createClient, type ApiKeyClient } from '../../packages/client/source/steward.ts';
import { eventually } from '../support/eventually.ts';
import { startMailServer, type KillableMailServer } from './killable-mail-server.ts';
import { queryOnce } from './samples.ts';
import { startSteward, victims, type SoakedSteward } from './steward.ts';

export interface DeliverySoak {
  readonly durationMs: number;
  readonly seed: number;
  /** Folder for logs and for arrived e-mails. */
  readonly folder: string;
}

/** The results of a run. */
export interface DeliveryReport {
  readonly kills: Readonly<Record<string, number>>;
  /** Number of acknowledged pairs of a notification and a user. */
  readonly planned: number;
  readonly mails: number;
  /** E-mails beyond one for each delivery. */
  readonly repeated: number;
  /** Attempts whose outcome is unknown. */
  readonly unknown: number;
  readonly violations: readonly string[];
}

const organizationId = 'soak';
const documentId = 'mailed';
const readers = 30;
/** Enough attempts per call to outlast the restart of any server. */
const patience = { maxAttempts: 31, timeoutMs: 300_000 } as const;
const killEveryMs = { min: 4_000, max: 12_000 } as const;

/** Notifies by e-mail while API, worker, PostgreSQL, Temporal and the mail server are killed at random, and checks the rows. */
export async function soakDeliveries({ durationMs, seed, folder }: DeliverySoak): Promise<DeliveryReport> {
  const mail = await startMailServer(folder);
  const steward = await startSteward(folder, {
    STEWARD_SMTP_URL: mail.url,
    STEWARD_MAIL_FROM: 'steward@mail.test',
    STEWARD_EMAIL_PER_KEY_PER_SECOND: '0',
    STEWARD_EMAIL_RETRY_SCHEDULE: '0s,1s,2s,5s,10s,10s,10s,10s,10s,10s',
    STEWARD_RATE_LIMIT: '0',
  });
  try {
    const client = await aMailingKey(steward);
    const stop = AbortSignal.timeout(durationMs);
    const random = seededRandom(seed);
    const [kills, ...notified] = await Promise.all([
      killAtRandom(steward, mail, random, stop),
      ...['a', 'b', 'c', 'd'].map(async (caller) => notifyUntil(stop, client, caller)),
    ]);
    return { kills, ...(await compare(steward, mail, notified.flat())) };
  } finally {
    await steward.stop();
    await mail.stop();
  }
}

async function aMailingKey(steward: SoakedSteward): Promise<ApiKeyClient> {
  const { baseUrl, operatorToken } = await steward.current();
  const ownerEmail = 'soak@example.com';
  const operator = createClient({ baseUrl, operatorToken });
  const { data } = await operator.workspace.create({ ownerEmail, workspaceName: 'Soak' });
  const workspace = createClient({ baseUrl, workspaceId: data.id, workspaceAuthToken: data.authToken });
  const made = await workspace.workspace.apiKeys.create({ ownerEmail, type: 'testing' });
  const { apiKey, authToken = '' } = made.data;
  const client = createClient({ baseUrl, apiKey, authToken, ...patience });
  await client.workspace.notificationConfig.update({ useNotificationService: true });
  await client.workspace.emailConfig.update({ useEmailService: true });
  await client.organizations.add({ organizations: [{ organizationId, organizationName: 'Soak' }] });
  await client.documents.add({ organizationId, documents: [{ documentId }] });
  return client;
}

/** Returns the acknowledged pairs of a notification and a user. */
async function notifyUntil(stop: AbortSignal, client: ApiKeyClient, caller: string): Promise<string[]> {
  const pairs: string[] = [];
  for (let nth = 0; !stop.aborted; nth += 1) {
    const notificationId = `${caller}${String(nth)}`;
    const users = [0, 1, 2].map((one) => `u${String((nth + one) % readers)}`);
    await client.notifications.add({
      organizationId,
      documentId,
      notificationId,
      actionUser: { userId: 'actor' },
      displayHeadlineMessageTemplate: `Notification ${notificationId}`,
      displayBodyMessage: 'Text',
      notifyUsers: users.map((userId) => ({ userId, email: `${userId}@users.test` })),
    });
    pairs.push(...users.map((userId) => `${notificationId} ${userId}`));
    await pause(100);
  }
  return pairs;
}

const targets = [...victims, 'smtp'] as const;
type Target = (typeof targets)[number];

async function killAtRandom(
  steward: SoakedSteward,
  mail: KillableMailServer,
  random: () => number,
  stop: AbortSignal,
): Promise<Record<string, number>> {
  const kills: Record<string, number> = {};
  // Kills each process once before it repeats one.
  let left: Target[] = [];
  for (;;) {
    const waitMs = killEveryMs.min + random() * (killEveryMs.max - killEveryMs.min);
    await pause(waitMs, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return kills;
    if (left.length === 0) left = [...targets];
    const victim = oneOf(left, random);
    left = left.filter((one) => one !== victim);
    await (victim === 'smtp' ? mail.kill() : steward.kill(victim));
    kills[victim] = (kills[victim] ?? 0) + 1;
  }
}

interface EndedRow {
  readonly delivery: string;
  readonly status: number;
  readonly user: string;
  readonly notifications: readonly string[];
  readonly unknown: number;
}

/** Waits until all deliveries have ended, and compares acknowledged, logged and arrived e-mails. */
async function compare(
  steward: SoakedSteward,
  mail: KillableMailServer,
  planned: readonly string[],
): Promise<Omit<DeliveryReport, 'kills'>> {
  const { databaseUrl } = await steward.current();
  const settled = await eventually(async () => {
    const left = await queryOnce<{ readonly waits: boolean }>(
      databaseUrl,
      'select exists (select from notice union all select from outgoing) as waits',
    );
    return left?.waits === false;
  }).catch(() => false);
  const { rows = [] } =
    (await queryOnce<{ readonly rows: readonly EndedRow[] }>(databaseUrl, endedDeliveries)) ?? {};
  const mails = await mail.mails();
  const arrived = Map.groupBy(mails, ({ deliveryId }) => deliveryId);
  const logged = Map.groupBy(
    rows.flatMap(({ user, notifications }) => notifications.map((id) => `${id} ${user}`)),
    (pair) => pair,
  );
  const known = new Set(rows.map(({ delivery }) => delivery));
  const named = (pairs: readonly string[], rule: string): string[] =>
    pairs.length === 0 ? [] : [`${rule}: ${String(pairs.length)}, such as ${pairs.slice(0, 3).join(', ')}`];
  const repeats = ({ delivery }: EndedRow): number => Math.max(0, (arrived.get(delivery)?.length ?? 0) - 1);
  const ids = (those: readonly EndedRow[]): string[] => those.map(({ delivery }) => delivery);
  const violations = [
    ...(settled ? [] : ['notices or deliveries are left']),
    ...named(
      planned.filter((pair) => logged.get(pair)?.length !== 1),
      'planned users that are not in the log once',
    ),
    ...named(ids(rows.filter(({ status }) => status !== 1)), 'deliveries that were not sent'),
    ...named(ids(rows.filter(({ delivery }) => !arrived.has(delivery))), 'deliveries without an e-mail'),
    ...named(
      ids(rows.filter((row) => repeats(row) > row.unknown)),
      'e-mails repeated without an unknown attempt',
    ),
    ...named(
      [...arrived.keys()].filter((id) => !known.has(id)),
      'e-mails without a delivery',
    ),
  ];
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
  return {
    planned: planned.length,
    mails: mails.length,
    repeated: sum(rows.map(repeats)),
    unknown: sum(rows.map(({ unknown }) => unknown)),
    violations,
  };
}

const endedDeliveries = `
  select coalesce(json_agg(json_build_object('delivery', l.public_id, 'status', l.status, 'user', u.ext_id,
    'notifications', (select json_agg(n.ext_id) from delivery_item i join notification n on n.id = i.notification_id
      where i.delivery_id = l.id and i.at = l.at),
    'unknown', (select count(*) from json_array_elements(l.attempts) a where a ->> 'outcome' = 'unknown'))), '[]') as rows
  from delivery_log l join app_user u on u.id = l.user_id`;
