import Koa from 'koa';
import { addActivityLogs } from './activities.ts';
import { addAnnotations, addComment, countAnnotations } from './comments.ts';
import { addDocuments } from './documents.ts';
import { readOrganizations, readRows } from './organizations.ts';
import { settings, type Handler } from './parts.ts';
import { checkPermissions } from './permissions.ts';
import { completeChat } from './provider.ts';

/*
 * The least that a server with these packages can do for the same call: Koa, a body parsed and checked by zod, named
 * statements through pg, a response. No tenancy rules, no locks, no transactions of several statements, no events, no log.
 */
const handlers: Readonly<Record<string, Handler>> = {
  '/organizations': readOrganizations,
  '/organizations/rows-only': readRows,
  '/documents': addDocuments,
  '/activities': addActivityLogs,
  '/annotations': addAnnotations,
  '/comments': addComment,
  '/annotation-counts': countAnnotations,
  '/permissions': checkPermissions,
  '/v1/chat/completions': completeChat,
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
