import { createHash } from 'node:crypto';
import type { Page } from './http/application.ts';

/** A page whose text depends on the release only: made at the first request, and read again by its ETag. */
export function cachedPage(path: string, type: string, make: () => string): Page {
  let made: { readonly content: Buffer; readonly etag: string } | undefined;
  return {
    path,
    response(context) {
      made ??= withEtag(make());
      context.status = 200;
      context.type = type;
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
