import { z } from 'zod';
import { verifyReceipt as verify, type SentReceipt } from '../../domain/deletion/verify-receipt.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { invalidValue } from '../http/request/issues.ts';
import { ids } from '../schemas.ts';

/** Characters; the longest receipt repeats the organizationIds of a request of 1 MiB in base64. */
const maxJws = 2_097_152;

const jws = z.string().min(1).max(maxJws);

const receipt = z
  .union([jws, z.looseObject({ jws })], {
    error: invalidValue('<m> must be the receipt of a status, or its jws.'),
  })
  .meta({ description: 'The `receipt` of a status, whole, or its `jws` alone.' });

const sentReceipt = (sent: z.output<typeof receipt>): SentReceipt => {
  if (typeof sent === 'string') return { jws: sent, body: {} };
  const { jws, ...body } = sent;
  return { jws, body };
};

const coverage = z.strictObject({
  covered: z.boolean().meta({ description: 'The deletion of the receipt was requested for this user.' }),
  pseudonym: z.string().meta({ description: 'How receipts of this key name the user.' }),
});

export const verifyReceipt = endpoint({
  paths: bothVersions('users/data/delete/receipt/verify'),
  credentials: 'apiKey',
  mutates: false,
  summary:
    'Verifies a receipt of a deletion of users’ data and returns for each userId whether the receipt covers it.',
  data: z.strictObject({ receipt, userIds: ids() }),
  maxBodyMebibytes: 4,
  response: dataResponse(z.record(z.string(), coverage).meta({ description: 'By userId.' })),
  errors: [],
  example: { receipt: 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl', userIds: ['ada'] },
  async handle({ data, tenant }, { em, keyRing }) {
    const { userIds } = data;
    const people = await verify(em, keyRing, tenant, { receipt: sentReceipt(data.receipt), userIds });
    // fromEntries defines own members, whatever an id is.
    const byUserId = Object.fromEntries(
      people.map(({ userId, covered, pseudonym }) => [userId, { covered, pseudonym }]),
    );
    return succeeded('User data deletion receipt verified successfully.', byUserId);
  },
});
