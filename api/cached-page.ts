import { createHash } from 'node:crypto';
import { lazily } from '../platform/process/lazily.ts';
import type { Page } from './http/application.ts';

/** A page whose text depends only on the release: rendered at the first request, and revalidated by its ETag. */
export function cachedPage(path: string, type: string, make: () => Promise<string>): Page {
  const made = lazily(async () => withEtag(await make()));
  return {
    path,
    response: async (context) => {
      const { content, etag } = await made();
      context.status = 200;
      context.type = type;
      context.set({ 'Cache-Control': 'no-cache', ETag: etag });
      if (context.fresh) {
        context.status = 304;
        return;
      }
      // All callers share these bytes, so a caller that does not read them costs no memory.
      context.body = content;
    },
  };
}

function withEtag(text: string) {
  return { content: Buffer.from(text), etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}
