import { z } from 'zod';
import { addSuppressions as add } from '../../domain/notices/suppressions.ts';
import { batchResponse } from '../http/response/batch.ts';
import { endpoint } from '../http/endpoint.ts';
import { emails } from './suppressed-emails.ts';

export const addSuppressions = endpoint({
  paths: ['/v2/workspace/emailsuppressions/add'],
  credentials: 'apiKey',
  mutates: true,
  audit: { action: 'email_suppressions.add', target: ({ tenant }) => tenant.keyId },
  summary: 'Suppresses e-mail addresses: the API key sends no e-mail to them.',
  description:
    'Adds up to 1,000 addresses to the suppression list of the key, which stores them as a keyed hash. An ' +
    'address that is on the list keeps its reason and time. Bounces and complaints add addresses too. Emits ' +
    'no event; the audit log records the call, without addresses.',
  data: z.strictObject({ emails }),
  response: batchResponse(),
  errors: [],
  example: { emails: ['gone@example.com'] },
  async handle({ data, tenant }, { em, keyRing }) {
    const items = await add(em, keyRing, tenant, data.emails);
    return { message: 'Suppression(s) added successfully.', items };
  },
});
