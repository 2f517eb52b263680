import { z } from 'zod';
import { maxDomains, normalizeDomain, readDomain } from '../../domain/workspaces/allowed-domains.ts';
import { distinctItems, distinctItemsOrNone } from '../schemas.ts';

const maxDomainLength = 300;
/** Earlier releases stored long hosts in Punycode, which is longer than what was sent. */
const maxStoredLength = 2_048;

/** A host as sent, in normal form. */
const domainBy = (normalize: (sent: string) => string | undefined, maxLength = maxDomainLength) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .transform((sent, context) => {
      const normal = normalize(sent);
      if (normal !== undefined) return normal;
      context.addIssue({ code: 'custom', message: '<m> must be a domain name.' });
      return z.NEVER;
    });

const description =
  'Hosts whose pages may call. Scheme, path and `www.` are stripped; `*.` matches any subdomain.';

/** At most 100 distinct hosts; may be empty. */
export const domainList = distinctItemsOrNone(domainBy(normalizeDomain), maxDomains).describe(description);

/** 1 to 100 distinct hosts. */
export const addedDomains = distinctItems(domainBy(normalizeDomain), maxDomains).describe(description);

/** 1 to 100 distinct hosts. Includes what earlier releases stored, so that it can be deleted. */
export const deletedDomains = distinctItems(
  domainBy((sent) => readDomain(sent)?.normal, maxStoredLength),
  maxDomains,
).describe(description);
