import { readFile } from 'node:fs/promises';
import type { Page } from '../http/application.ts';
import type { RequestContext } from '../http/middleware/state.ts';

/** The page loads resources from its own origin only. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const files = [
  { path: '/docs', file: 'reference.html', type: 'text/html; charset=utf-8' },
  { path: '/docs/reference.css', file: 'reference.css', type: 'text/css; charset=utf-8' },
  { path: '/docs/reference.js', file: 'reference.js', type: 'text/javascript; charset=utf-8' },
] as const;

/** `GET /docs`: renders `/openapi.json` in a browser, without any other network access. */
export const referencePages: readonly Page[] = files.map(({ path, file, type }) => {
  // All callers share these bytes, so a caller that does not read them costs no memory.
  let content: Promise<Buffer> | undefined;
  return {
    path,
    response: async (context) => {
      content ??= readFile(new URL(file, import.meta.url));
      send(context, await content, type);
    },
  };
});

function send(context: RequestContext, content: Buffer, type: string): void {
  context.set({
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
  context.status = 200;
  context.type = type;
  context.body = content;
}
