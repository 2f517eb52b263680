import { z } from 'zod';
import { deleteDomains as remove } from '../../domain/workspaces/key-domains.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { deletedDomains } from './domains.ts';

export const deleteDomains = endpoint({
  paths: ['/v2/workspace/domains/delete'],
  credentials: 'apiKey',
  mutates: true,
  audit: { action: 'domains.delete', target: ({ tenant }) => tenant.keyId },
  summary: 'Removes domains whose pages may use the API key.',
  description:
    'Domains that the key does not have are skipped, so repeating the call changes nothing. Removing the ' +
    'last domain allows every origin. Applies to the next request in every process. The audit log records ' +
    'the call.',
  data: z.strictObject({ domains: deletedDomains }),
  response: dataResponse(
    z.strictObject({
      domainsRemoved: z.array(z.string()).describe('Hosts that were removed, normalized.'),
      skippedDomains: z.array(z.string()).describe('Hosts that the API key did not have.'),
    }),
  ),
  errors: ['NOT_FOUND'],
  example: { domains: ['example.com'] },
  async handle({ data, tenant }, { em, audit }) {
    const { done, skipped, before, after } = await remove(em, tenant, data.domains);
    audit.changed({ allowedDomains: before }, { allowedDomains: after });
    return succeeded('Domains deleted successfully.', { domainsRemoved: done, skippedDomains: skipped });
  },
});
