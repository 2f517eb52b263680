import { z } from 'zod';
import { verifyReceipt as verify, type SentReceipt } from '../../domain/deletion/verify-receipt.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { invalidValue } from '../http/request/issues.ts';
import { ids } from '../schemas.ts';

/** Characters. The largest receipt contains the organizationIds of a 1 MiB request in base64. */
const maxJwsLength = 2_097_152;

const jws = z.string().min(1).max(maxJwsLength).describe('Signed receipt, max 2,097,152 characters.');

const receipt = z
  .union([jws, z.looseObject({ jws })], {
    error: invalidValue('<m> must be the receipt of a status, or its jws.'),
  })
  .meta({ description: 'The `receipt` of a deletion status, or only its `jws`.' });

const sentReceipt = (sent: z.output<typeof receipt>): SentReceipt => {
  if (typeof sent === 'string') return { jws: sent, body: {} };
  const { jws, ...body } = sent;
  return { jws, body };
};

const coverage = z
  .strictObject({
    covered: z
      .boolean()
      .meta({ description: 'Whether the deletion of the receipt was requested for this user.' }),
    pseudonym: z.string().meta({ description: 'Pseudonym of the user on receipts of this API key.' }),
  })
  .meta({ id: 'ReceiptCoverage' });

export const verifyReceipt = endpoint({
  paths: bothVersions('users/data/delete/receipt/verify'),
  credentials: 'apiKey',
  mutates: false,
  summary: 'Verifies the receipt of a user data deletion and returns which users it covers.',
  description:
    'Checks the signature of the receipt and that its readable fields equal the signed ones; otherwise ' +
    'fails with `INVALID_ARGUMENT`. User ids are on a receipt only as pseudonyms of your API key, so a ' +
    'receipt of another key is invalid too. Works as long as you keep the receipt, even after Steward ' +
    'deleted it. Changes nothing.',
  data: z.strictObject({
    receipt,
    userIds: ids().describe('Ids of the users to look up on the receipt, max 1,000.'),
  }),
  maxBodyMebibytes: 4,
  response: dataResponse(
    z.record(z.string(), coverage).meta({ description: 'Result for each user, by user id.' }),
  ),
  errors: [],
  example: { receipt: 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl', userIds: ['ada'] },
  async handle({ data, tenant }, { em, keyRing }) {
    const { userIds } = data;
    const users = await verify(em, keyRing, tenant, { receipt: sentReceipt(data.receipt), userIds });
    // `fromEntries` defines own members, even for an id such as `__proto__`.
    const byUserId = Object.fromEntries(
      users.map(({ userId, covered, pseudonym }) => [userId, { covered, pseudonym }]),
    );
    return succeeded('User data deletion receipt verified successfully.', byUserId);
  },
});
