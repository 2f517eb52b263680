import { defineEntity, p } from '@mikro-orm/core';
import { bytes, moment } from '../columns.ts';
import type { SigningPurpose } from './signing-secret.ts';
import type { TokenKeyPurpose } from './token-keys.ts';

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
