import { createHash } from 'node:crypto';
import type { Page } from './http/application.ts';

/** A page whose text depends only on the release: rendered at the first request, and revalidated by its ETag. */
export function cachedPage(path: string, type: string, make: () => Promise<string>): Page {
  const made = madeOnce(async () => withEtag(await make()));
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

/** Caches the result of `make`. Concurrent callers share one run; after a failure, the next call runs it again. */
export function madeOnce<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return async () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

function withEtag(text: string) {
  return { content: Buffer.from(text), etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}
