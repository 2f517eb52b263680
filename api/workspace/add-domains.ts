import { z } from 'zod';
import { addDomains as add } from '../../domain/workspaces/key-domains.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { addedDomains } from './domains.ts';

export const addDomains = endpoint({
  paths: ['/v2/workspace/domains/add'],
  credentials: 'apiKey',
  mutates: true,
  audit: { action: 'domains.add', target: ({ tenant }) => tenant.keyId },
  summary: 'Adds domains whose pages may use the API key.',
  description:
    'A key has up to 100 domains. Once the list is not empty, requests with another `Origin` fail with ' +
    '`PERMISSION_DENIED`; requests without `Origin` and those of pages of Steward itself are not ' +
    'restricted. Domains that the key has are skipped, so repeating the call changes nothing. Applies to ' +
    'the next request in every process. The audit log records the call.',
  data: z.strictObject({ domains: addedDomains }),
  response: dataResponse(
    z.strictObject({
      domainsAdded: z.array(z.string()).describe('Hosts that were added, normalized.'),
      skippedDomains: z.array(z.string()).describe('Hosts that the API key already had.'),
    }),
  ),
  errors: ['NOT_FOUND'],
  example: { domains: ['https://www.example.com', '*.example.org'] },
  async handle({ data, tenant }, { em, audit }) {
    const { done, skipped, before, after } = await add(em, tenant, data.domains);
    audit.changed({ allowedDomains: before }, { allowedDomains: after });
    return succeeded('Domains added successfully.', { domainsAdded: done, skippedDomains: skipped });
  },
});
