import { z } from 'zod';
import { namesOf } from '../../domain/names-of.ts';
import {
  addSuppressions as add,
  deleteSuppressions as remove,
  readSuppressions as read,
} from '../../domain/notices/suppressions.ts';
import { suppressionReasons } from '../../domain/notices/suppression.entity.ts';
import { batchResponse } from '../http/response/batch.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { email, ids } from '../schemas.ts';

const emails = ids(1_000, email).describe('E-mail addresses, max 1,000. Case does not matter.');

const reasons = namesOf(suppressionReasons);

const suppression = z
  .strictObject({
    suppressed: z.boolean().describe('Whether the API key sends no e-mail to the address.'),
    reason: z
      .enum(reasons)
      .nullable()
      .describe(
        '`bounced`: the address does not exist. `complained`: its owner reported an e-mail as spam. `manual`: added ' +
          'by a call. Null when it is not suppressed.',
      ),
    at: z
      .int()
      .nullable()
      .describe('When it was suppressed, in milliseconds since the epoch. Null when it is not suppressed.'),
  })
  .meta({ id: 'EmailSuppression' });

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

export const getSuppressions = endpoint({
  paths: ['/v2/workspace/emailsuppressions/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns whether e-mail addresses are suppressed.',
  description:
    'Reads up to 1,000 addresses. The list cannot be read as a whole, because it stores no addresses. An ' +
    'unknown address is not suppressed.',
  data: z.strictObject({ emails }),
  response: dataResponse(z.record(z.string(), suppression).describe('The suppression of each address.')),
  errors: [],
  maxResponseBytes: 512 * 1_024,
  example: { emails: ['gone@example.com'] },
  async handle({ data, tenant }, { em, keyRing }) {
    const found = await read(em, keyRing, tenant, data.emails);
    return succeeded('Suppression(s) retrieved successfully.', Object.fromEntries(found));
  },
});

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
