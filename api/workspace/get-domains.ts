import { z } from 'zod';
import { readDomains } from '../../domain/workspaces/key-domains.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';

export const getDomains = endpoint({
  paths: ['/v2/workspace/domains/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Lists the domains whose pages may use the API key.',
  description: 'An empty list allows every origin. Returns up to 100 hosts, without scheme, path and `www.`.',
  data: z.strictObject({}),
  response: dataResponse(
    z.strictObject({
      allowedDomains: z.array(z.string()).describe('Hosts whose pages may call, normalized.'),
    }),
  ),
  errors: [],
  example: {},
  async handle({ tenant }, { em }) {
    const allowedDomains = await readDomains(em, tenant);
    return succeeded('Allowed domains retrieved successfully.', { allowedDomains });
  },
});
