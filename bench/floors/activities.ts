import { z } from 'zod';
import { pool, settings, text, type Handler } from './shared.ts';

const call = z.object({
  data: z.object({
    organizationId: text,
    documentId: text,
    activities: z
      .array(
        z.looseObject({
          id: text,
          featureType: text,
          actionType: text,
          actionUser: z.looseObject({ userId: text }),
        }),
      )
      .min(1)
      .max(1_000),
  }),
});

export const addActivityLogs: Handler = async (body) => {
  const { activities } = call.parse(body).data;
  await pool.query({
    name: 'activities',
    text: `insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, content_hash, body)
      select $1, $2, $3, id, $4::bigint, 1, action, $5::bigint, '', body
      from unnest($6::text[], $7::text[], $8::json[]) as t (id, action, body)`,
    values: [
      settings.BENCH_KEY,
      settings.BENCH_ORGANIZATION,
      settings.BENCH_DOCUMENT,
      Date.now(),
      settings.BENCH_USER,
      activities.map(({ id }) => id),
      activities.map(({ actionType }) => actionType),
      activities.map((activity) => JSON.stringify(activity)),
    ],
  });
  return { result: { status: 'success' } };
};
