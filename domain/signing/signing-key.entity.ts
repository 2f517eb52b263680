import { defineEntity, p } from '@mikro-orm/core';
import { bytes, moment } from '../columns.ts';

/** Purposes of deployment-wide secrets. */
export type SigningPurpose =
  'cursor' | 'receipt-users' | 'idempotency' | 'unsubscribe' | 'message-names' | 'suppressions';

/** Receipts have separate keys, because receipts are valid for longer than tokens. */
export type TokenKeyPurpose = 'jwt' | 'receipt';

/** A secret of the deployment: a token key with its public half, or a secret for `purpose`. One per purpose is current. */
export const SigningKeySchema = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_key',
  properties: {
    kid: p.text().primary(),
    purpose: p.text().$type<SigningPurpose | TokenKeyPurpose>(),
    keyEnc: bytes(),
    publicKey: bytes().nullable(),
    createdAt: moment().defaultRaw('now()'),
    retiredAt: moment().nullable(),
  },
  uniques: [{ name: 'signing_key_current', properties: ['purpose'], where: 'retired_at is null' }],
});
