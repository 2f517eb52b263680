import { readFile } from 'node:fs/promises';
import type { Context } from 'koa';
import type { Page } from '../http/server.ts';

/** The page takes everything from its own origin, and may do nothing else. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const files = [
  { path: '/docs', file: 'reference.html', type: 'text/html; charset=utf-8' },
  { path: '/docs/reference.css', file: 'reference.css', type: 'text/css; charset=utf-8' },
  { path: '/docs/reference.js', file: 'reference.js', type: 'text/javascript; charset=utf-8' },
] as const;

/** `GET /docs`: shows `/openapi.json` in a browser, without any network but this service. */
export const referencePages: readonly Page[] = files.map(({ path, file, type }) => ({
  path,
  answer: (context) => answer(context, file, type),
}));

async function answer(context: Context, file: string, type: string): Promise<void> {
  const content = await readFile(new URL(file, import.meta.url));
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
