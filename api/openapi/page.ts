import { createHash } from 'node:crypto';
import { ownVersion } from '../../platform/process/own-version.ts';
import type { Page } from '../http/application.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { openApiDocument } from './document.ts';

/** `GET /openapi.json`. Builds the document at the first request. */
export function openApiPage(endpoints: readonly Endpoint[]): Page {
  let made: { readonly content: Buffer; readonly etag: string } | undefined;
  return {
    path: '/openapi.json',
    response(context) {
      made ??= withEtag(JSON.stringify(openApiDocument(endpoints, ownVersion)));
      context.status = 200;
      context.type = 'application/json; charset=utf-8';
      context.set({ 'Cache-Control': 'no-cache', ETag: made.etag });
      if (context.fresh) {
        context.status = 304;
        return;
      }
      // All callers share these bytes, so a caller that does not read them costs no memory.
      context.body = made.content;
    },
  };
}

function withEtag(text: string) {
  return { content: Buffer.from(text), etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}
