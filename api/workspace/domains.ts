import { z } from 'zod';
import { maxDomains, normalizeDomain } from '../../domain/workspaces/allowed-domains.ts';

const maxDomainLength = 300;

/** A host as sent, normalized. */
const domain = z
  .string()
  .min(1)
  .max(maxDomainLength)
  .transform((sent, context) => {
    const normal = normalizeDomain(sent);
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
  .array(domain)
  .transform(unique)
  .superRefine((domains, context) => {
    if (domains.length > maxDomains) context.addIssue(tooMany(domains.length));
  })
  .meta({ description, maxItems: maxDomains });

/** 1 to 100 distinct hosts. */
export const nonEmptyDomainList = z
  .array(domain)
  .transform(unique)
  .superRefine(({ length }, context) => {
    if (length > 0 && length <= maxDomains) return;
    const message = `<m> must hold 1 to ${String(maxDomains)} items, not ${String(length)}.`;
    context.addIssue({ code: 'custom', message });
  })
  .meta({ description, minItems: 1, maxItems: maxDomains });
