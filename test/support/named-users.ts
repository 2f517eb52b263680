import type { TestApi } from './api.ts';

const body = { notificationSource: 'custom', actionUser: { userId: 'actor' } };

/** Writes notifications with 1,000 named users without an inbox entry each. `named` returns the number of these users. */
export async function withNamedUsers(
  { database }: Pick<TestApi, 'database'>,
  tenantId: string,
  documentId: string,
  count: number,
) {
  const written = await database.sql<{ id: string; ext_id: string; actor_id: string }>(
    `insert into notification (api_key_id, org_id, document_id, ext_id, source, actor_id, ts, body)
     select $1, d.org_id, d.id, 'named-' || i, 5, -d.id, i, $4::json from document d, generate_series(1, $3::int) i
     where d.ext_id = $2 returning id, ext_id, actor_id`,
    [tenantId, documentId, count, JSON.stringify(body)],
  );
  const ids = written.map(({ id }) => id);
  await database.sql(
    `insert into named_recipient (notification_id, user_id, audience_id, api_key_id, org_id)
     select n.id, -i, n.audience, n.api_key_id, n.org_id from notification n, generate_series(1, 1000) i where n.id = any($1)`,
    [ids],
  );
  const named = async () => {
    const [found] = await database.sql<{ count: number }>(
      'select count(*)::int from named_recipient where notification_id = any($1)',
      [ids],
    );
    return found?.count;
  };
  return { notificationIds: written.map(({ ext_id }) => ext_id), actor: written[0]?.actor_id ?? '', named };
}
