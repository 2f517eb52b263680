import { z } from 'zod';
import type { UnsubscribeScope } from '../../domain/notifications/unsubscribe.ts';

/** A one-click request of a mail provider (RFC 8058), or a button of the page. */
const fields = z.union([
  z.object({ 'List-Unsubscribe': z.literal('One-Click') }).transform((): UnsubscribeScope => 'organization'),
  z.object({ scope: z.enum(['organization', 'document']) }).transform(({ scope }) => scope),
]);

/** Max bytes of a form. */
const maxBytes = 8_192;

/** Reads a form, `application/x-www-form-urlencoded` or `multipart/form-data`. Returns undefined for any other body. */
export async function unsubscribeScope(body: Buffer, type: string): Promise<UnsubscribeScope | undefined> {
  if (body.length > maxBytes) return undefined;
  // Refuses other types, and bodies that are not of their type.
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
    .formData()
    .catch(() => undefined);
  return form && fields.safeParse(Object.fromEntries(form)).data;
}
