import { sql } from 'kysely';
import { z } from 'zod';
import { rowsOf } from '../../../platform/database/statements.ts';
import { isVisible } from '../../documents/resolve-document.ts';
import { sectionPage, type Section } from './section.ts';

/** A notification that names the person as a recipient without being in the person's inbox. Its content is not exported. */
export interface NamedOutsideInbox {
  readonly notificationId: string;
  readonly documentId: string;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  /** The address sent; null without one. */
  readonly email: string | null;
}

/** Null columns: the notification has other recipients now, or its document is deleted. */
const NamedRow = z.strictObject({
  id: z.string(),
  email: z.string().nullable(),
  ext_id: z.string().nullable(),
  ts: z.string().nullable(),
  document_ext_id: z.string().nullable(),
});
type NamedRow = z.infer<typeof NamedRow>;

/** Notifications that name the person outside the inbox, in the order of writing. A page may be short. */
export const namedRecipients: Section<NamedOutsideInbox> = async (
  em,
  { tenant, organization, user },
  { after, limit },
) => {
  const found = await rowsOf(
    em,
    NamedRow,
    sql`
      select r.notification_id as id, r.email, n.ext_id, n.ts, d.ext_id as document_ext_id
      from (
        select notification_id, audience_id, email from named_recipient
        where user_id = ${user} and org_id = ${organization} and notification_id > ${after?.[0] ?? '0'}::bigint
          and api_key_id + 0 = ${tenant.id}
        order by notification_id limit ${limit.rows + 1}) r
      left join lateral (
        select ext_id, ts, document_id from notification
        where id = r.notification_id and audience = r.audience_id offset 0) n on true
      left join lateral (
        select d.ext_id from document d where d.id = n.document_id and d.deleted_at is null and ${isVisible} offset 0) d on true
      order by r.notification_id`,
  );
  const { rows: page, next } = sectionPage(found, limit, ({ id }) => [id]);
  return { rows: page.flatMap(namedOf), next };
};

const namedOf = ({ email, ext_id, ts, document_ext_id }: NamedRow): NamedOutsideInbox[] =>
  ext_id === null || document_ext_id === null
    ? []
    : [{ notificationId: ext_id, documentId: document_ext_id, timestamp: Number(ts), email }];
