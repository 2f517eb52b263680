import { z } from 'zod';
import { pool, settings, text, type Handler } from './shared.ts';

const call = z.object({
  data: z.object({
    organizationId: text,
    documents: z
      .array(z.object({ documentId: text, documentName: text }))
      .min(1)
      .max(1_000),
  }),
});

export const addDocuments: Handler = async (body) => {
  const { documents } = call.parse(body).data;
  await pool.query({
    name: 'documents',
    text: `insert into document (api_key_id, org_id, ext_id, name)
      select $1, $2, id, name from unnest($3::text[], $4::text[]) as t (id, name)`,
    values: [
      settings.BENCH_KEY,
      settings.BENCH_ORGANIZATION,
      documents.map(({ documentId }) => documentId),
      documents.map(({ documentName }) => documentName),
    ],
  });
  return { result: { status: 'success' } };
};
