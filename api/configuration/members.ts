import { z } from 'zod';
import { invalidValue } from '../http/request/issues.ts';
import { text } from '../schemas.ts';

export const flag = z.boolean().optional();

/** A secret of the customer's: stored encrypted. */
export const secretText = text(1_000).optional();

/** Room for an RSA key of 16,384 bits in PEM. */
export const publicKeyText = text(4_096);

const eventName = z.string().min(1).max(200);

const triggerMap = z.record(eventName, z.boolean());

/** Event types, each switched on or off. Open: any name, but `__proto__`, which no record keeps. */
export const triggersInput = triggerMap
  .optional()
  .meta({ description: 'Event types, each switched on or off; those not sent keep what they are.' });

export const triggersResponse = z.record(z.string(), z.boolean());

const switchOrGroup = z.union([z.boolean(), triggerMap], {
  error: invalidValue('<m> must be a boolean, or map event types of 1 to 200 characters to booleans.'),
});

/** Event types as in `triggersInput`; those of comments may also stand in the group `comment`. */
export const groupedTriggersInput = z
  .object({ comment: switchOrGroup.optional() })
  .catchall(z.boolean())
  .superRefine((triggers, context) => {
    for (const name of Object.keys(triggers).filter((name) => !eventName.safeParse(name).success)) {
      const message = '<m> must be the name of an event type: 1 to 200 characters.';
      context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .optional()
  .meta({
    description:
      'Event types, each switched on or off; those not sent keep what they are. `comment` may hold a map of event types to booleans, which decides over the flat key of the same event type.',
  });

export const groupedTriggersResponse = z.record(z.string(), z.union([z.boolean(), triggersResponse]));

/** Credentials belong into members of their own; a fragment never reaches a server. */
export const plain = (url: URL): boolean =>
  url.username === '' && url.password === '' && !url.href.includes('#');

const notValid = invalidValue('Please enter a valid URL');

/** Empty, or an http or https URL of at most 2,048 characters. */
export const urlOrEmpty = (allowed: (url: URL) => boolean = () => true) =>
  z
    .string()
    .max(2_048, { error: notValid })
    .refine((sent) => sent === '' || isUrl(sent, allowed), { error: notValid })
    .meta({ description: 'Empty, or an http or https URL.', maxLength: 2_048 });

/** Whether a text is an http or https URL of the allowed form. */
export function isUrl(sent: string, allowed: (url: URL) => boolean): boolean {
  const url = URL.parse(sent);
  // The parser would repair a host that is missing, and pass over white space.
  return url !== null && /^https?:\/\/[^\s\\/]\S*$/i.test(sent) && allowed(url);
}
