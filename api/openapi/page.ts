import { createHash } from 'node:crypto';
import type { Endpoint } from '../http/endpoint.ts';
import type { Page } from '../http/server.ts';
import { openApiDocument } from './document.ts';

/** `GET /openapi.json`: made once, when it is first asked for. */
export function openApiPage(endpoints: readonly Endpoint[], version: string): Page {
  let made: { readonly text: string; readonly etag: string } | undefined;
  return {
    path: '/openapi.json',
    answer(context) {
      made ??= withEtag(JSON.stringify(openApiDocument(endpoints, version)));
      context.status = 200;
      context.type = 'application/json; charset=utf-8';
      context.set({ 'Cache-Control': 'no-cache', ETag: made.etag });
      if (context.fresh) {
        context.status = 304;
        return;
      }
      context.body = made.text;
    },
  };
}

function withEtag(text: string) {
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}
