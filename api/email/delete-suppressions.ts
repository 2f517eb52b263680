import { z } from 'zod';
import { deleteSuppressions as remove } from '../../domain/notices/suppressions.ts';
import { batchResponse } from '../http/response/batch.ts';
import { endpoint } from '../http/endpoint.ts';
import { emails } from './suppressed-emails.ts';

export const deleteSuppressions = endpoint({
  paths: ['/v2/workspace/emailsuppressions/delete'],
  credentials: 'apiKey',
  mutates: true,
  audit: { action: 'email_suppressions.delete', target: ({ tenant }) => tenant.keyId },
  summary: 'Removes e-mail addresses from the suppression list.',
  description:
    'Removes up to 1,000 addresses, so that the key sends e-mails to them again. An address that is not on ' +
    'the list fails with `not-found`, without affecting the others. Emits no event; the audit log records ' +
    'the call, without addresses.',
  data: z.strictObject({ emails }),
  response: batchResponse(),
  errors: [],
  example: { emails: ['gone@example.com'] },
  async handle({ data, tenant }, { em, keyRing }) {
    const items = await remove(em, keyRing, tenant, data.emails);
    return { message: 'Suppression(s) deleted successfully.', items };
  },
});
