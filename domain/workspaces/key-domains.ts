import { invalidMember } from '../errors.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { mostDomains } from './allowed-domains.ts';

/** Which of the domains of a call changed something; the others were so already, which is no failure. */
export interface DomainChange {
  readonly done: string[];
  readonly skipped: string[];
}

export async function readDomains(em: EntityManager, tenant: Tenant): Promise<string[]> {
  const found = await domainsOf(em, tenant).executeTakeFirst();
  return found?.allowed_domains ?? [];
}

/** `domains` normalised, each once. */
export async function addDomains(
  em: EntityManager,
  tenant: Tenant,
  domains: readonly string[],
): Promise<DomainChange> {
  const held = await lockDomains(em, tenant);
  const done = domains.filter((domain) => !held.includes(domain));
  const after = [...held, ...done];
  if (after.length > mostDomains) {
    const limit = `A key holds at most ${String(mostDomains)} domains, not ${String(after.length)}.`;
    throw invalidMember('domains', limit);
  }
  await writeDomains(em, tenant, after);
  return { done, skipped: domains.filter((domain) => held.includes(domain)) };
}

export async function deleteDomains(
  em: EntityManager,
  tenant: Tenant,
  domains: readonly string[],
): Promise<DomainChange> {
  const held = await lockDomains(em, tenant);
  await writeDomains(
    em,
    tenant,
    held.filter((domain) => !domains.includes(domain)),
  );
  return {
    done: domains.filter((domain) => held.includes(domain)),
    skipped: domains.filter((domain) => !held.includes(domain)),
  };
}

/** Two changes follow each other. No key update: rows of the tenant may be inserted meanwhile. */
async function lockDomains(em: EntityManager, tenant: Tenant): Promise<string[]> {
  const found = await domainsOf(em, tenant).forNoKeyUpdate().executeTakeFirst();
  return found?.allowed_domains ?? [];
}

const domainsOf = (em: EntityManager, tenant: Tenant) =>
  tablesOf(em).selectFrom('api_key').select('allowed_domains').where('id', '=', tenant.id);

async function writeDomains(em: EntityManager, tenant: Tenant, domains: string[]): Promise<void> {
  await tablesOf(em)
    .updateTable('api_key')
    .set({ allowed_domains: domains })
    .where('id', '=', tenant.id)
    .execute();
}
