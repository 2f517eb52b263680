import Koa from 'koa';
import { addActivityLogs } from './activities.ts';
import { addAnnotations, addComment, countAnnotations } from './comments.ts';
import { addDocuments } from './documents.ts';
import { readOrganizations, readRows } from './organizations.ts';
import { settings, type Handler } from './shared.ts';
import { checkPermissions } from './permissions.ts';
import { completeChat } from './provider.ts';

/*
 * The minimal server for the same calls with the same packages: Koa, a body validated by zod, named statements through pg, a response. No tenancy rules, locks, transactions of several statements, events or logs.
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
