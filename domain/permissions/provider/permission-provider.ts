import pLimit from 'p-limit';
import { readVersionedConfiguration } from '../../configuration/read-configuration.ts';
import { permissionProviderKind } from '../../configuration/kinds/permission-provider.ts';
import { accessRoleName } from '../../tenancy/access-roles.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import type { Orm } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import type { AccessQuery } from '../read-access.ts';
import { resourceKindName } from '../resource.ts';
import { refused, refusedBefore, type LocatedRow, type Verdict } from '../verdict.ts';
import { callProvider, ProviderFailure, providerLimits, type ProviderLimits } from './call-provider.ts';
import { cacheResponses, readCachedResponses, type CachedRow } from './cached-responses.ts';
import type { ProviderResponse } from './provider-responses.ts';
import { batchesOf, accessCheckKey, type AccessCheck } from './access-check.ts';

export interface PermissionProviderOptions {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  readonly allowedNetworks: readonly string[];
  readonly limits?: ProviderLimits;
  /** Told of every request that failed for good; the reason holds nothing of the customer's. */
  readonly onFailure?: (failure: { readonly keyId: string; readonly reason: string }) => void;
}

interface PendingCheck extends AccessCheck {
  readonly key: string;
  readonly row: CachedRow;
}

/** Undefined when the provider did not answer. */
type CheckResult = ProviderResponse | undefined;

/** Requests that one call has under way at the same time. */
const atOnce = 4;

/**
 * Asks the customer's own permission provider; one an API process. What it said is kept until it expires. A question
 * that is being asked is not asked again, whoever wants to know. No connection to the database is held meanwhile.
 */
export class PermissionProvider {
  readonly #options: PermissionProviderOptions;
  readonly #limits: ProviderLimits;
  readonly #underWay = new Map<string, Promise<CheckResult>>();

  constructor(options: PermissionProviderOptions) {
    this.#options = options;
    this.#limits = options.limits ?? providerLimits;
  }

  /** Every user with every resource, in the order of the question. A provider that fails refuses. */
  async decide(tenant: Tenant, question: AccessQuery): Promise<[LocatedRow, Verdict][]> {
    const { orm, keyRing } = this.#options;
    const { config, version } = await readVersionedConfiguration(
      orm.em.fork(),
      keyRing,
      tenant.id,
      permissionProviderKind,
    );
    const kept = await readCachedResponses(orm.em.fork(), tenant, question, version);
    const { permissionProviderUrl: url, authToken } = config.permissionProviderConfig;
    const open = kept.filter((row) => refusedBefore(row) === undefined && !row.answered);
    const address = { url, authToken, allowedNetworks: this.#options.allowedNetworks };
    const responses =
      url === '' ? new Map<CachedRow, CheckResult>() : await this.#ask(tenant, version, address, open);
    return kept.map((row) => [
      row,
      refusedBefore(row) ??
        (url === ''
          ? refused('provider-not-configured')
          : (cachedVerdict(row) ?? verdictOf(responses.get(row)))),
    ]);
  }

  async #ask(
    tenant: Tenant,
    version: number,
    address: Parameters<typeof callProvider>[0],
    open: readonly CachedRow[],
  ): Promise<ReadonlyMap<CachedRow, CheckResult>> {
    const questions = open.map((row) => ({
      ...questionOf(row),
      row,
      key: `${tenant.id}/${String(version)}/${row.user_ext}/${String(row.kind)}/${row.resource ?? ''}`,
    }));
    const fresh = questions.filter(({ key }) => !this.#underWay.has(key));
    const signal = AbortSignal.timeout(this.#limits.totalTimeoutMs);
    const limit = pLimit(atOnce);
    for (const batch of batchesOf(fresh)) {
      const answered = limit(async () => this.#askBatch(tenant, version, address, batch, signal));
      for (const question of batch) {
        const one = answered.then((responses) => responses.get(accessCheckKey(question)));
        this.#underWay.set(question.key, one);
        const forget = (): boolean => this.#underWay.delete(question.key);
        one.then(forget, forget);
      }
    }
    const waiting = questions.map(async ({ key, row }): Promise<[CachedRow, CheckResult]> => [
      row,
      await this.#underWay.get(key),
    ]);
    return new Map(await Promise.all(waiting));
  }

  async #askBatch(
    tenant: Tenant,
    version: number,
    address: Parameters<typeof callProvider>[0],
    batch: readonly PendingCheck[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ProviderResponse>> {
    const asked = batch.map(({ userId, resource }) => ({ userId, resource }));
    let responses: ReadonlyMap<string, ProviderResponse>;
    try {
      responses = await callProvider(address, asked, this.#limits, signal);
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      this.#options.onFailure?.({ keyId: tenant.keyId, reason: error.message });
      return new Map();
    }
    const toKeep = batch.flatMap(({ row, ...question }) => {
      const response = responses.get(accessCheckKey(question));
      const { user_ext: userId, kind, resource, organization } = row;
      return response === undefined || resource === null || organization === null
        ? []
        : [{ userId, kind, resource, organization, response }];
    });
    await cacheResponses(this.#options.orm, tenant, version, toKeep);
    return responses;
  }
}

function questionOf(row: CachedRow): AccessCheck {
  return {
    userId: row.user_ext,
    resource: {
      id: row.ext_id,
      type: resourceKindName(row.kind),
      organizationId: row.org_ext_id,
      ...(row.parent_ext_id !== null && { parentFolderId: row.parent_ext_id }),
    },
  };
}

function cachedVerdict(row: CachedRow): Verdict | undefined {
  if (!row.answered) return undefined;
  if (row.has_access !== true) return refused('provider-refused');
  return {
    hasAccess: true,
    accessRole: row.answered_role === null ? 'editor' : accessRoleName(row.answered_role),
    expiresAt: row.answered_until,
    reason: 'provider-granted',
  };
}

function verdictOf(response: CheckResult): Verdict {
  if (response === undefined) return refused('provider-failed');
  const { hasAccess, accessRole, expiresAt } = response;
  if (!hasAccess || (expiresAt !== undefined && expiresAt <= Date.now())) return refused('provider-refused');
  const seconds = expiresAt === undefined ? null : Math.floor(expiresAt / 1_000);
  return { hasAccess, accessRole, expiresAt: seconds, reason: 'provider-granted' };
}
