import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { lazily } from '../../platform/process/single-flight.ts';
import type { Page } from '../http/application.ts';
import type { RequestContext } from '../http/middleware/state.ts';

/** Bytes as they are sent. All callers share them, so a caller that does not read them costs no memory. */
export interface Content {
  readonly plain: Buffer;
  readonly zipped: Buffer;
}

export const contentOf = async (plain: Buffer): Promise<Content> => ({
  plain,
  zipped: await promisify(gzip)(plain, { level: 9 }),
});

/** Sends the form that the caller accepts; with the digest of its ETag, 304 to a caller that has it. */
export function sendContent(
  context: RequestContext,
  { plain, zipped }: Content,
  type: string,
  digest?: string,
): void {
  const zips = context.acceptsEncodings('gzip', 'identity') === 'gzip';
  context.set('Vary', 'Accept-Encoding');
  context.status = 200;
  if (digest !== undefined) {
    context.set('ETag', `"${digest}${zips ? '-gzip' : ''}"`);
    if (context.fresh) {
      context.status = 304;
      return;
    }
  }
  context.type = type;
  if (zips) context.set('Content-Encoding', 'gzip');
  context.body = zips ? zipped : plain;
}

/** A page whose content depends only on the release: rendered at the first request, and revalidated by its ETag. */
export function cachedPage(
  path: string,
  type: string,
  make: () => Promise<string | Buffer>,
  headers: Readonly<Record<string, string>> = {},
): Page {
  const made = lazily(async () => {
    const plain = Buffer.from(await make());
    const digest = createHash('sha256').update(plain).digest('base64url');
    return { digest, content: await contentOf(plain) };
  });
  return {
    path,
    response: async (context) => {
      const { digest, content } = await made();
      context.set({ 'Cache-Control': 'no-cache', ...headers });
      sendContent(context, content, type, digest);
    },
  };
}
