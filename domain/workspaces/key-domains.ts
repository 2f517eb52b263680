import type { EntityManager } from '../../platform/database/orm.ts';
import { invalidMember } from '../errors.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { maxDomains } from './allowed-domains.ts';
import { lockKeyRow } from './lock-key.ts';

/** `skipped`: domains of a call that are already in the requested state, which is not a failure. */
export interface DomainChange {
  readonly done: string[];
  readonly skipped: string[];
  /** All domains of the key before and after. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export async function readDomains(em: EntityManager, tenant: Tenant): Promise<string[]> {
  const found = await tablesOf(em)
    .selectFrom('api_key')
    .select('allowed_domains')
    .where('id', '=', tenant.id)
    .executeTakeFirst();
  return found?.allowed_domains ?? [];
}

/** `domains` are normalized and distinct. Throws NOT_FOUND. */
export async function addDomains(
  em: EntityManager,
  tenant: Tenant,
  domains: readonly string[],
): Promise<DomainChange> {
  const key = await lockKeyRow(em, { id: tenant.id });
  const before = key.allowedDomains;
  const done = key.allow(domains);
  const { allowedDomains: after } = key;
  const { length } = after;
  if (length > maxDomains) {
    const limit = `A key holds at most ${String(maxDomains)} domains, not ${String(length)}.`;
    throw invalidMember('domains', limit);
  }
  return { done, skipped: domains.filter((domain) => !done.includes(domain)), before, after };
}

/** Throws NOT_FOUND. */
export async function deleteDomains(
  em: EntityManager,
  tenant: Tenant,
  domains: readonly string[],
): Promise<DomainChange> {
  const key = await lockKeyRow(em, { id: tenant.id });
  const before = key.allowedDomains;
  const done = key.disallow(domains);
  const skipped = domains.filter((domain) => !done.includes(domain));
  return { done, skipped, before, after: key.allowedDomains };
}
