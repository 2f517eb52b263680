import { z } from 'zod';
import { namesOf } from '../../domain/names-of.ts';
import { readSuppressions as read } from '../../domain/notices/suppressions.ts';
import { suppressionReasons } from '../../domain/notices/suppression.entity.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { emails } from './suppressed-emails.ts';

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
