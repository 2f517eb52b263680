import { setTimeout as pause } from 'node:timers/promises';
import { channelNumbers } from '../../domain/notices/channels.ts';
import { noticeStates, whyNumbers } from '../../domain/notices/statuses.ts';
import type { Site } from '../site.ts';
import { documentId, organizationId, type BenchKey } from '../tenant.ts';

/** A key that sends e-mail, with the surrogate keys of its organization, document and readers. */
export interface MailingKey extends BenchKey {
  readonly organization: string;
  readonly document: string;
  readonly readers: readonly string[];
}

const readersOfKey = 300;
export const readersOfNotification = 3;

/** Creates a key that sends e-mail at once, without delay and batching. */
export async function newMailingKey(site: Site): Promise<MailingKey> {
  const key = await site.newKey();
  const { workspace, organizations, documents, users } = key.steward;
  await workspace.notificationConfig.update({ useNotificationService: true });
  await workspace.emailConfig.update({ useEmailService: true });
  await organizations.add({ organizations: [{ organizationId, organizationName: 'Benchmark' }] });
  await documents.add({ organizationId, documents: [{ documentId }] });
  await users.add({
    organizationId,
    users: Array.from({ length: readersOfKey }, (_, n) => ({
      userId: `reader-${String(n)}`,
      name: `Reader ${String(n)}`,
      email: `reader-${String(n)}@users.test`,
    })),
  });
  const { rows } = await site.sql.query<{ organization: string; document: string; readers: string[] }>(
    `select d.org_id as organization, d.id as document, array(
       select id::text from app_user u where u.api_key_id = d.api_key_id and u.ext_id like 'reader-%' order by id) as readers
     from document d where d.api_key_id = $1 and d.ext_id = $2`,
    [key.id, documentId],
  );
  const [found] = rows;
  if (found === undefined) throw new Error('The document of the benchmark is missing.');
  return { ...key, ...found };
}

/**
 * Writes notifications to 3 readers each with the notices that `notifications/add` writes, due `dueSeconds` from now.
 */
export async function loadNotices(
  { sql }: Site,
  { id, organization, document, readers }: MailingKey,
  notifications: number,
  dueSeconds = 0,
): Promise<void> {
  await sql.query(
    `with added as (
       insert into notification (api_key_id, org_id, document_id, ext_id, source, actor_id, ts, recipient_count, body)
       select $1, $2, $3, gen_random_uuid(), 5, ($4::bigint[])[1], floor(extract(epoch from now()) * 1000), $5, json_build_object(
         'notificationSource', 'custom', 'actionUser', json_build_object('userId', 'actor', 'name', 'Ada Lovelace'),
         'displayHeadlineMessageTemplate', '{actionUser} asked',
         'displayBodyMessage', 'Could you have another look at this paragraph?')
       from generate_series(1, $6::int)
       returning id, audience, ts),
     pairs as (
       select a.id, a.audience, a.ts, ($4::bigint[])[1 + (a.nth * $5 + r) % cardinality($4::bigint[])] as reader
       from (select *, row_number() over () as nth from added) a, generate_series(0, $5::int - 1) as r),
     received as (
       insert into notification_recipient (user_id, audience_id, api_key_id, org_id, document_id, ts)
       select reader, audience, $1, $2, $3, ts from pairs)
     insert into notice (api_key_id, org_id, document_id, user_id, notification_id, channel, state, why, verify, audience, in_inbox, due_at)
     select $1, $2, $3, reader, id, ${String(channelNumbers.email)}, ${String(noticeStates.waiting)}, ${String(whyNumbers.named)},
       false, audience, true, now() + $7::float8 * interval '1 second' from pairs`,
    [id, organization, document, readers, readersOfNotification, notifications, dueSeconds],
  );
}

/** Wakes the sender of a key by a notification to one reader. */
export async function notifyOne({ steward }: BenchKey, notificationId: string, reader = 0): Promise<void> {
  await steward.notifications.add({
    organizationId,
    documentId,
    notificationId,
    actionUser: { userId: 'actor', name: 'Ada Lovelace' },
    displayHeadlineMessageTemplate: '{actionUser} asked',
    displayBodyMessage: 'Could you have another look at this paragraph?',
    notifyUsers: [{ userId: `reader-${String(reader)}` }],
  });
}

/** Waits until the keys have no due notice and no open delivery. Throws after `seconds`. */
export async function untilRecorded(
  { sql }: Site,
  keys: readonly BenchKey[],
  seconds: number,
  signal: AbortSignal,
): Promise<void> {
  const end = performance.now() + seconds * 1_000;
  for (;;) {
    const { rows } = await sql.query<{ left: boolean }>(
      `select exists (select from unnest($1::bigint[]) as k (id) cross join lateral (
         (select from outgoing where api_key_id = k.id limit 1)
         union all (select from notice where api_key_id = k.id and channel = 1 and state = 0 and due_at <= now() limit 1)) w) as left`,
      [keys.map(({ id }) => id)],
    );
    if (rows[0]?.left === false) return;
    signal.throwIfAborted();
    if (performance.now() >= end) throw new Error('Sent deliveries were not recorded in time.');
    await pause(10);
  }
}
