import { z } from 'zod';
import { says } from '../http/issues.ts';
import { text } from '../schemas.ts';

export const flag = z.boolean().optional();

/** A secret of the customer's: stored encrypted. */
export const secretText = text(1_000).optional();

/** Room for an RSA key of 16,384 bits in PEM. */
export const publicKeyText = text(4_096);

/** Own members that every object seems to have: never the name of an option. */
const refusedNames = new Set(['__proto__', 'constructor', 'toString']);

const eventName = z.string().min(1).max(200);

/** Event types, each switched on or off. Open: any name. */
export const triggersInput = z
  .record(eventName, z.boolean())
  .superRefine((triggers, context) => {
    for (const name of Object.keys(triggers).filter((name) => refusedNames.has(name))) {
      context.addIssue({ code: 'unrecognized_keys', keys: [name], input: triggers });
    }
  })
  .optional()
  .meta({ description: 'Event types, each switched on or off; those not sent keep what they are.' });

export const triggersAnswer = z.record(z.string(), z.boolean());

/** Credentials belong into members of their own; a fragment never reaches a server. */
export const plain = (url: URL): boolean =>
  url.username === '' && url.password === '' && !url.href.includes('#');

const notValid = says('Please enter a valid URL');

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
