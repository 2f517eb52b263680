import { defineEntity, p } from '@mikro-orm/core';
import { bytes, moment } from '../columns.ts';

/** Purposes of deployment-wide secrets. */
const signingPurposes = [
  'cursor',
  'receipt-users',
  'idempotency',
  'unsubscribe',
  'message-names',
  'suppressions',
] as const;

/** Receipts have separate keys, because receipts are valid for longer than tokens. */
const tokenKeyPurposes = ['jwt', 'receipt'] as const;

export type SigningPurpose = (typeof signingPurposes)[number];
export type TokenKeyPurpose = (typeof tokenKeyPurposes)[number];

/** All purposes: one secret of each is current. */
export const purposes = [...signingPurposes, ...tokenKeyPurposes] as const;

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
