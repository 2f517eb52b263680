import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { done, failed, outcomes, type Outcomes } from '../batch.ts';
import { messages } from '../messages.ts';
import { nameOfNumber } from '../name-of-number.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { suppressionReasons } from './suppression.entity.ts';
import { suppressionHashOf } from './suppression-hash.ts';

export interface Suppression {
  readonly suppressed: boolean;
  readonly reason: keyof typeof suppressionReasons | null;
  /** Milliseconds since the epoch. */
  readonly at: number | null;
}

/** Addresses with their hashes. Several spellings may share a hash. */
type Hashed = readonly (readonly [email: string, hash: Buffer])[];

async function hashed(
  em: EntityManager,
  keyRing: KeyRing,
  { id }: Tenant,
  emails: readonly string[],
): Promise<Hashed> {
  const hashOf = await suppressionHashOf(em, keyRing, id);
  return emails.map((email) => [email, hashOf(email)]);
}

/** In key order, so that concurrent calls do not deadlock. */
const distinctHashes = (emails: Hashed): readonly Buffer[] =>
  [...new Map(emails.map(([, hash]) => [hash.toString('hex'), hash])).values()].toSorted((one, other) =>
    one.compare(other),
  );

/** An address to suppress, and the reason. */
export interface Suppressed {
  readonly address: string;
  readonly reason: keyof typeof suppressionReasons;
}

/** Adds addresses to a key's suppression list. A listed address keeps its reason and time. */
export async function suppress(
  em: EntityManager,
  keyRing: KeyRing,
  tenantId: string,
  addresses: readonly Suppressed[],
): Promise<void> {
  if (addresses.length === 0) return;
  const hashOf = await suppressionHashOf(em, keyRing, tenantId);
  const reasons = new Map(
    addresses
      .toReversed()
      .map(({ address, reason }) => [hashOf(address).toString('hex'), suppressionReasons[reason]]),
  );
  // In key order, so that concurrent calls do not deadlock.
  await sql`insert into mail_suppression (api_key_id, address_hash, reason)
    select ${tenantId}, decode(h.hash, 'hex'), h.reason
    from unnest(${[...reasons.keys()]}::text[], ${[...reasons.values()]}::smallint[]) as h (hash, reason) order by h.hash
    on conflict do nothing`.execute(tablesOf(em));
}

/** Adds addresses at the customer's request. */
export async function addSuppressions(
  em: EntityManager,
  keyRing: KeyRing,
  tenant: Tenant,
  emails: readonly string[],
): Promise<Outcomes> {
  await suppress(
    em,
    keyRing,
    tenant.id,
    emails.map((address) => ({ address, reason: 'manual' })),
  );
  return new Map(emails.map((email) => [email, done('Added Successfully')]));
}

const SuppressionRow = z.strictObject({ hash: z.instanceof(Buffer), reason: z.number(), at: z.date() });

/** Returns for each address whether it is suppressed. */
export async function readSuppressions(
  em: EntityManager,
  keyRing: KeyRing,
  tenant: Tenant,
  emails: readonly string[],
): Promise<ReadonlyMap<string, Suppression>> {
  const all = await hashed(em, keyRing, tenant, emails);
  const found = await rowsOf(
    em,
    SuppressionRow,
    sql`select address_hash as hash, reason, at from mail_suppression
      where api_key_id = ${tenant.id} and address_hash = any(${distinctHashes(all)}::bytea[])`,
  );
  const byHash = new Map(found.map((row) => [row.hash.toString('hex'), row]));
  return new Map(
    all.map(([email, hash]) => {
      const row = byHash.get(hash.toString('hex'));
      return [
        email,
        {
          suppressed: row !== undefined,
          reason: row === undefined ? null : nameOfNumber(suppressionReasons, row.reason),
          at: row?.at.getTime() ?? null,
        },
      ];
    }),
  );
}

const HashRow = z.strictObject({ hash: z.instanceof(Buffer) });

/** Removes addresses from the list, so that they receive e-mail again. */
export async function deleteSuppressions(
  em: EntityManager,
  keyRing: KeyRing,
  tenant: Tenant,
  emails: readonly string[],
): Promise<Outcomes> {
  const all = await hashed(em, keyRing, tenant, emails);
  const removed = await rowsOf(
    em,
    HashRow,
    sql`with locked as materialized (
        select address_hash from mail_suppression
        where api_key_id = ${tenant.id} and address_hash = any(${distinctHashes(all)}::bytea[])
        order by address_hash for update)
      delete from mail_suppression s using locked l
      where s.api_key_id = ${tenant.id} and s.address_hash = l.address_hash returning s.address_hash as hash`,
  );
  const hashes = new Set(removed.map(({ hash }) => hash.toString('hex')));
  const gone = new Set(all.filter(([, hash]) => hashes.has(hash.toString('hex'))).map(([email]) => email));
  return outcomes(emails, gone, {
    ok: () => done('Deleted Successfully'),
    otherwise: () => failed('not-found', messages.suppressionMissing),
  });
}
