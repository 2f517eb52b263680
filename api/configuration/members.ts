import { z } from 'zod';
import { isReachable, parseWebUrl } from '../../platform/network/parse-web-url.ts';
import { invalidValue } from '../http/request/issues.ts';
import { text } from '../schemas.ts';

export const flag = z.boolean().optional();

/** A customer's secret, stored encrypted. */
export const secretText = text(1_000).optional();

/** A customer's secret that Steward sends in a header of requests to the customer's server, stored encrypted. */
export const headerSecret = text(1_000)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, {
    error: '<m> must hold only characters of headers: printable ASCII, tabs, and U+0080 to U+00FF.',
  })
  .optional();

const maskEnd = '...xxxx';

/** Shows the first four characters, or none when the secret has four or fewer. */
export const mask = (secret: string): string => `${secret.length > 4 ? secret.slice(0, 4) : ''}${maskEnd}`;

/** A customer's secret that responses mask. Rejects a masked value, which must not replace the secret. */
export const unmasked = (member: string) =>
  text(1_000).refine((secret) => !secret.includes(maskEnd), {
    error: `${member} must not be a masked value.`,
  });

/** An RSA key of 8,192 bits in PEM takes less than half. */
export const publicKeyText = text(4_096);

const eventName = z.string().min(1).max(200);

const triggerMap = z.record(eventName, z.boolean());

/** Event types, each on or off. Accepts any name except `__proto__`, which a record cannot contain. */
export const triggersInput = triggerMap
  .optional()
  .meta({ description: 'Event types, each on or off. Types that are not sent keep their value.' });

export const triggersResponse = z.record(z.string(), z.boolean());

const switchOrGroup = z.union([z.boolean(), triggerMap], {
  error: invalidValue('<m> must be a boolean, or map event types of 1 to 200 characters to booleans.'),
});

/** Event types as in `triggersInput`; the group `comment` may contain those of comments. */
export const groupedTriggersInput = z
  .object({
    comment: switchOrGroup
      .optional()
      .describe('Event types of comments. A boolean is stored and has no effect.'),
  })
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
      'Event types, each on or off. Types that are not sent keep their value. `comment` may map event ' +
      'types to booleans, which override the flat key of the same type.',
  });

export const groupedTriggersResponse = z.record(z.string(), z.union([z.boolean(), triggersResponse]));

/** Credentials have their own members, and a fragment is never sent to a server. Empty ones are refused as well. */
export const hasNoCredentialsOrFragment = (url: URL, sent: string): boolean =>
  url.username === '' && url.password === '' && !url.href.includes('#') && !/^[^/]*\/\/[^/?#\\]*@/.test(sent);

/** Max characters of a URL. */
export const maxUrlLength = 2_048;

const notValid = invalidValue('Please enter a valid URL');

/** Empty, or an http or https URL of at most 2,048 characters. */
export const urlOrEmpty = (allowed: (url: URL, sent: string) => boolean) =>
  z
    .string()
    .max(maxUrlLength, { error: notValid })
    .refine((sent) => sent === '' || isUrl(sent, allowed), { error: notValid })
    .meta({ description: 'Empty, or an http or https URL.', maxLength: maxUrlLength });

/** URL of notifications, with placeholders for ids after its host, so that no id can change the host. */
export const linkTemplateText = urlOrEmpty(({ host, username, password }) =>
  // The parser encodes the bracket before the @.
  [host, username, password].every((part) => !part.includes('{') && !part.includes('%7B')),
);

/** Whether a text is an http or https URL, with a host and port that a server can have, that `allowed` accepts. */
export function isUrl(sent: string, allowed: (url: URL, sent: string) => boolean): boolean {
  // Zod calls this for texts that are too long as well. A character may consist of two code units.
  if (sent.length > 2 * maxUrlLength) return false;
  const url = parseWebUrl(sent);
  // URL.parse repairs a missing host and ignores white space.
  return url !== null && isReachable(url) && /^https?:\/\/[^\s\\/]\S*$/i.test(sent) && allowed(url, sent);
}
