import { z } from 'zod';
import { maxDomains, normalizeDomain, readDomain } from '../../domain/workspaces/allowed-domains.ts';

const maxDomainLength = 300;

/** A host as sent, in normal form. */
const domainBy = (normalize: (sent: string) => string | undefined) =>
  z
    .string()
    .min(1)
    .max(maxDomainLength)
    .transform((sent, context) => {
      const normal = normalize(sent);
      if (normal !== undefined) return normal;
      context.addIssue({ code: 'custom', message: '<m> must be a domain name.' });
      return z.NEVER;
    });

const unique = (domains: readonly string[]): string[] => [...new Set(domains)];

const tooMany = (count: number) => ({
  code: 'custom' as const,
  message: `<m> must hold at most ${String(maxDomains)} items, not ${String(count)}.`,
});

const description =
  'Hosts whose pages may call. Scheme, path and `www.` are stripped; `*.` matches any subdomain.';

/** At most 100 distinct hosts; may be empty. */
export const domainList = z
  .array(domainBy(normalizeDomain))
  .transform(unique)
  .superRefine((domains, context) => {
    if (domains.length > maxDomains) context.addIssue(tooMany(domains.length));
  })
  .meta({ description, maxItems: maxDomains });

/** 1 to 100 distinct hosts. */
const nonEmptyListOf = (domain: ReturnType<typeof domainBy>) =>
  z
    .array(domain)
    .transform(unique)
    .superRefine(({ length }, context) => {
      if (length > 0 && length <= maxDomains) return;
      const message = `<m> must hold 1 to ${String(maxDomains)} items, not ${String(length)}.`;
      context.addIssue({ code: 'custom', message });
    })
    .meta({ description, minItems: 1, maxItems: maxDomains });

export const addedDomains = nonEmptyListOf(domainBy(normalizeDomain));

/** Includes what earlier releases accepted, so that it can be deleted. */
export const deletedDomains = nonEmptyListOf(domainBy((sent) => readDomain(sent)?.normal));
