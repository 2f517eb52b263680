import { createHash } from 'node:crypto';
import Koa from 'koa';
import { Pool } from 'pg';
import { z } from 'zod';
import { credentialStatement, organizationsStatement } from './statements.ts';

/*
 * The least that a server with these packages can do for the same call: Koa, a body parsed and checked by zod, named
 * statements through pg, an answer. No tenancy rules, no locks, no transactions of several statements, no events, no log.
 */

const settings = z
  .object({
    PORT: z.coerce.number(),
    BENCH_DATABASE_URL: z.string(),
    /** Surrogate keys. */
    BENCH_KEY: z.string(),
    BENCH_ORGANIZATION: z.string(),
    BENCH_DOCUMENT: z.string(),
    BENCH_USER: z.string(),
  })
  .parse(process.env);

const pool = new Pool({
  connectionString: settings.BENCH_DATABASE_URL,
  max: 10,
  application_name: 'bench-floor',
});

const text = z.string().min(1).max(1_000);
const organizationsCall = z.object({ data: z.object({ organizationIds: z.array(text).min(1).max(30) }) });
const documentsCall = z.object({
  data: z.object({
    organizationId: text,
    documents: z
      .array(z.object({ documentId: text, documentName: text }))
      .min(1)
      .max(1_000),
  }),
});
const activitiesCall = z.object({
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

const credentials = await credentialStatement();
const organizations = await organizationsStatement();

async function readRows(body: unknown): Promise<object> {
  const { data } = organizationsCall.parse(body);
  const { rows } = await pool.query<object>({
    name: 'organizations',
    text: organizations,
    values: [settings.BENCH_KEY, data.organizationIds],
  });
  return { result: { status: 'success', message: 'Organization(s) retrieved successfully.', data: rows } };
}

const sha256 = (secret: unknown): Buffer => createHash('sha256').update(String(secret)).digest();

async function readWithCredentials(body: unknown, headers: Koa.Request['headers']): Promise<object> {
  const { rowCount } = await pool.query({
    name: 'credentials',
    text: credentials,
    values: [sha256(headers['x-svc-auth-token']), sha256(headers['x-svc-api-key'])],
  });
  if (rowCount !== 1) throw new Error('Wrong credentials.');
  return await readRows(body);
}

async function addDocuments(body: unknown): Promise<object> {
  const { documents } = documentsCall.parse(body).data;
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
}

async function addActivities(body: unknown): Promise<object> {
  const { activities } = activitiesCall.parse(body).data;
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
}

const handlers: Readonly<
  Record<string, (body: unknown, headers: Koa.Request['headers']) => Promise<object>>
> = {
  '/organizations': readWithCredentials,
  '/organizations/rows-only': readRows,
  '/documents': addDocuments,
  '/activities': addActivities,
};

const application = new Koa();
application.use(async (context) => {
  const chunks: Buffer[] = [];
  for await (const chunk of context.req) chunks.push(chunk as Buffer);
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
  const handler = handlers[context.path];
  if (handler !== undefined) context.body = await handler(body, context.request.headers);
});
application.listen(settings.PORT, '127.0.0.1');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
