import { sql } from 'kysely';
import { z } from 'zod';
import { rowsOf } from '../../../platform/database/statements.ts';
import { epochMilliseconds } from '../../sql-times.ts';
import { isVisible } from '../../documents/resolve-document.ts';
import { nameOfNumber } from '../../name-of-number.ts';
import { channelNumbers, type SentChannel } from '../../notices/channels.ts';
import { noticeStates } from '../../notices/statuses.ts';
import { sectionPage, type Section } from './section.ts';

const { waiting, batching, taken } = noticeStates;

/** States of a notice that does not belong to a delivery. */
export const waitingStates = { waiting, batching } as const;

/** A notification that is to be sent to the person and does not belong to a delivery yet. */
export interface WaitingMessage {
  readonly notificationId: string;
  readonly documentId: string;
  readonly channel: SentChannel;
  readonly status: keyof typeof waitingStates;
  /** The end of its delay, in milliseconds since the epoch. */
  readonly dueAt: number;
}

/** Null columns: the notification or its document is deleted. */
const WaitingRow = z.strictObject({
  id: z.string(),
  channel: z.number(),
  document_id: z.string(),
  state: z.number(),
  due_ms: z.number(),
  ext_id: z.string().nullable(),
  document_ext_id: z.string().nullable(),
});
type WaitingRow = z.infer<typeof WaitingRow>;

/** Notifications that wait to be sent to the person, by channel and document. A page may be short. */
export const waitingMessages: Section<WaitingMessage> = async (
  em,
  { tenant, organization, user },
  { after, limit },
) => {
  const [channel = '0', document = '0', id = '0'] = after ?? [];
  const found = await rowsOf(
    em,
    WaitingRow,
    sql`
      select w.id, w.channel, w.document_id, w.state, ${epochMilliseconds('w.due_at')} as due_ms, n.ext_id,
        d.ext_id as document_ext_id
      from (
        select id, channel, document_id, state, due_at, notification_id from notice
        where user_id = ${user} and org_id = ${organization}
          and (channel, document_id, id) > (${channel}::smallint, ${document}::bigint, ${id}::bigint)
          and state <> ${sql.lit(taken)} and api_key_id + 0 = ${tenant.id}
        order by channel, document_id, id limit ${limit.rows + 1}) w
      left join lateral (
        select ext_id, document_id from notification where id = w.notification_id offset 0) n on true
      left join lateral (
        select d.ext_id from document d where d.id = n.document_id and d.deleted_at is null and ${isVisible} offset 0) d on true
      order by w.channel, w.document_id, w.id`,
  );
  const { rows: page, next } = sectionPage(found, limit, (row) => [
    String(row.channel),
    row.document_id,
    row.id,
  ]);
  return { rows: page.flatMap(messageOf), next };
};

const messageOf = ({ channel, state, due_ms, ext_id, document_ext_id }: WaitingRow): WaitingMessage[] =>
  ext_id === null || document_ext_id === null
    ? []
    : [
        {
          notificationId: ext_id,
          documentId: document_ext_id,
          channel: nameOfNumber(channelNumbers, channel),
          status: nameOfNumber(waitingStates, state),
          dueAt: due_ms,
        },
      ];
