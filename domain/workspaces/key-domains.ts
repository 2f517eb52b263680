import { invalidMember } from '../errors.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { mostDomains } from './allowed-domains.ts';

/** Which of the domains of a call changed something; the others were so already, which is no failure. */
export interface DomainChange {
  readonly done: string[];
  readonly skipped: string[];
}

export async function readDomains(em: EntityManager, tenant: Tenant): Promise<string[]> {
  return await domainsOf(em, 'select allowed_domains from api_key where id = $1', tenant);
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
  return await domainsOf(em, 'select allowed_domains from api_key where id = $1 for no key update', tenant);
}

async function domainsOf(em: EntityManager, statement: string, tenant: Tenant): Promise<string[]> {
  const found = await row<{ allowed_domains: string[] }>(em, statement, [tenant.id]);
  return found?.allowed_domains ?? [];
}

async function writeDomains(em: EntityManager, tenant: Tenant, domains: readonly string[]): Promise<void> {
  await rows(em, 'update api_key set allowed_domains = $2 where id = $1', [tenant.id, domains]);
}
