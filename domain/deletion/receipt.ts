import { createHmac } from 'node:crypto';
import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { signAs } from '../signing/sign-token.ts';
import { signingSecret } from '../signing/signing-secret.ts';
import { currentTokenKey } from '../signing/token-keys.ts';
import { doneKinds } from './deletion-tasks.ts';
import { personKinds, type PersonCounts, type PersonKind } from './places/place.ts';

/** What a deletion did, for an auditor: no name and no id of a person. Times are milliseconds. */
export interface Receipt {
  readonly jobId: string;
  /** The customer's, as sent; null is every organization of the key. */
  readonly organizationIds: readonly string[] | null;
  /** HMAC-SHA-256 of each user's id, in base64url, in their own order. */
  readonly users: readonly string[];
  readonly counts: AllCounts;
  /** Kinds that a cancelled deletion has not, or not wholly, deleted. */
  readonly unfinished: readonly PersonKind[];
  readonly completedAt: number;
  /** When the second scan found nothing; null for one that was cancelled before. */
  readonly verifiedAt: number | null;
  /** All of this but itself, signed; checked with `/.well-known/jwks.json`. */
  readonly jws: string;
}

export type AllCounts = Readonly<Record<PersonKind, number>>;

/** Every kind, also those of which nothing was found. */
export function allCounts(counts: PersonCounts): AllCounts {
  return Object.fromEntries(personKinds.map((kind) => [kind, counts[kind] ?? 0])) as AllCounts;
}

/** Says in a JWS what was signed. */
const type = 'user-data-deletion-receipt+jws';

interface EndedRow {
  readonly public_id: string;
  readonly organization_ids: readonly string[] | null;
  readonly counts: PersonCounts;
  readonly done_places: readonly string[];
  readonly completed_at: number;
  readonly verified_at: number | null;
}

/** In the transaction that ends the deletion, while the ids of the people are still there. */
export async function signReceipt(
  em: EntityManager,
  keyRing: KeyRing,
  { jobId, tenantId }: { readonly jobId: string; readonly tenantId: string },
): Promise<Receipt> {
  const ended = await row<EndedRow>(
    em,
    `select public_id, organization_ids, counts, done_places, floor(extract(epoch from now()) * 1000)::float8 as completed_at,
       floor(extract(epoch from verified_at) * 1000)::float8 as verified_at
     from user_data_deletion where job_id = $1 and api_key_id = $2`,
    [jobId, tenantId],
  );
  if (ended === undefined) throw new Error('A deletion that ends is not there.');
  const verified = ended.verified_at !== null;
  const done = new Set(doneKinds(ended.done_places));
  const said = {
    jobId: ended.public_id,
    organizationIds: ended.organization_ids,
    users: await usersOf(em, keyRing, { jobId, tenantId }),
    counts: allCounts(ended.counts),
    unfinished: verified ? [] : personKinds.filter((kind) => !done.has(kind)),
    completedAt: ended.completed_at,
    verifiedAt: ended.verified_at,
  };
  const key = await currentTokenKey(em, keyRing, 'receipt');
  return { ...said, jws: signAs(type, key, { iss: 'steward', ...said }) };
}

async function usersOf(
  em: EntityManager,
  keyRing: KeyRing,
  { jobId, tenantId }: { readonly jobId: string; readonly tenantId: string },
): Promise<string[]> {
  const secret = await signingSecret(em, keyRing, 'receipt-users');
  const users = await rows<{ user_ext_id: string }>(
    em,
    'select user_ext_id from user_deletion where job_id = $1 and api_key_id = $2',
    [jobId, tenantId],
  );
  // One person has one value on every receipt of a key, and another one on those of other keys.
  return users
    .map(({ user_ext_id }) =>
      createHmac('sha256', secret).update(`${tenantId}\0${user_ext_id}`).digest('base64url'),
    )
    .sort();
}
