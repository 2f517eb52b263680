import pLimit from 'p-limit';
import type { Orm } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import type { CacheCounts } from '../../../platform/metrics/cache-metrics.ts';
import { readVersionedConfiguration } from '../../configuration/read-configuration.ts';
import { permissionProviderKind } from '../../configuration/kinds/permission-provider.ts';
import { accessRoleName } from '../../tenancy/access-roles.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import type { AccessQuery } from '../effective-access-statement.ts';
import { resourceKindName } from '../resource.ts';
import { refused, refusedBefore, type LocatedRow, type Verdict } from '../verdict.ts';
import { callProvider, ProviderFailure, providerLimits, type ProviderLimits } from './call-provider.ts';
import { cacheResponses, readCachedResponses, type CachedRow } from './cached-responses.ts';
import type { ProviderResponse } from './provider-responses.ts';
import { CheckRoom } from './check-room.ts';
import { ResponseRoom } from './response-room.ts';
import { batchesOf, accessCheckKey, type AccessCheck } from './access-check.ts';

export interface PermissionProviderOptions {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  readonly allowedNetworks: readonly string[];
  /** Whether calls to other servers are paused. */
  readonly paused?: boolean;
  readonly limits?: ProviderLimits;
  /** Called when a request fails after its retries; the reason contains no customer data. */
  readonly onFailure?: (failure: { readonly keyId: string; readonly reason: string }) => void;
}

interface PendingCheck extends AccessCheck {
  readonly key: string;
  readonly row: CachedRow;
}

/** Decides access like `PermissionProvider`. */
export type Decider = Pick<PermissionProvider, 'decide'>;

/** Undefined when the provider returned no decision. */
type CheckResult = ProviderResponse | undefined;

/** Max concurrent provider requests of one call. */
const maxConcurrent = 4;

/**
 * Calls the customers' permission providers, one instance per process. Caches decisions until they expire, coalesces
 * identical checks in flight, and holds no database connection during calls.
 */
export class PermissionProvider {
  readonly #options: PermissionProviderOptions;
  readonly #limits: ProviderLimits;
  /** Numbers of decisions found in the cache, and of decisions that the provider had to make. */
  readonly counts: CacheCounts = { hits: 0, misses: 0 };
  readonly #room = new ResponseRoom();
  readonly #checks = new CheckRoom();
  readonly #inFlight = new Map<string, Promise<CheckResult>>();

  constructor(options: PermissionProviderOptions) {
    this.#options = options;
    this.#limits = options.limits ?? providerLimits;
  }

  /**
   * Decides for every user and resource, in the order of the query. A provider failure refuses access. Throws UNAVAILABLE
   * while too many checks wait for providers.
   */
  async decide(tenant: Tenant, query: AccessQuery): Promise<[LocatedRow, Verdict][]> {
    const { orm, keyRing } = this.#options;
    const { config, version } = await readVersionedConfiguration(
      orm.em.fork(),
      keyRing,
      tenant.id,
      permissionProviderKind,
    );
    const cached = await readCachedResponses(orm.em.fork(), tenant, query, version);
    const { permissionProviderUrl: url, authToken } = config.permissionProviderConfig;
    const missing = cached.filter((row) => refusedBefore(row) === undefined && !row.is_cached);
    this.counts.misses += missing.length;
    this.counts.hits += cached.filter(({ is_cached }) => is_cached).length;
    const { allowedNetworks, paused = false } = this.#options;
    const openRoom = () => this.#room.open(tenant.id);
    const address = { url, tenantId: tenant.id, authToken, allowedNetworks, paused, openRoom };
    const responses =
      url === ''
        ? new Map<CachedRow, CheckResult>()
        : await this.#checks.holding(tenant.id, missing, async () =>
            this.#decideAll(tenant, version, address, missing),
          );
    return cached.map((row) => [
      row,
      refusedBefore(row) ??
        (url === ''
          ? refused('provider-not-configured')
          : (cachedVerdict(row) ?? verdictOf(responses.get(row)))),
    ]);
  }

  async #decideAll(
    tenant: Tenant,
    version: number,
    address: Parameters<typeof callProvider>[0],
    rows: readonly CachedRow[],
  ): Promise<ReadonlyMap<CachedRow, CheckResult>> {
    const checks = rows.map((row) => {
      const check = checkOf(row);
      return { ...check, row, key: `${tenant.id}/${String(version)}/${accessCheckKey(check)}` };
    });
    const fresh = checks.filter(({ key }) => !this.#inFlight.has(key));
    const signal = AbortSignal.timeout(this.#limits.totalTimeoutMs);
    const limit = pLimit(maxConcurrent);
    for (const batch of batchesOf(fresh)) {
      const decided = limit(async () => this.#callWithBatch(tenant, version, address, batch, signal));
      for (const check of batch) {
        const one = decided.then((responses) => responses.get(accessCheckKey(check)));
        this.#inFlight.set(check.key, one);
        const forget = (): boolean => this.#inFlight.delete(check.key);
        one.then(forget, forget);
      }
    }
    const waiting = checks.map(async ({ key, row }): Promise<[CachedRow, CheckResult]> => [
      row,
      await this.#inFlight.get(key),
    ]);
    return new Map(await Promise.all(waiting));
  }

  async #callWithBatch(
    tenant: Tenant,
    version: number,
    address: Parameters<typeof callProvider>[0],
    batch: readonly PendingCheck[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ProviderResponse>> {
    const checks = batch.map(({ userId, resource }) => ({ userId, resource }));
    let responses: ReadonlyMap<string, ProviderResponse>;
    try {
      responses = await callProvider(address, checks, this.#limits, signal);
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      this.#options.onFailure?.({ keyId: tenant.keyId, reason: error.message });
      return new Map();
    }
    const toCache = batch.flatMap(({ row, ...check }) => {
      const response = responses.get(accessCheckKey(check));
      const { user_ext: userId, user_id: user, kind, resource, ext_id: askedId, organization } = row;
      return response === undefined || resource === null || organization === null
        ? []
        : [{ userId, user, kind, resource, askedId, organization, response }];
    });
    await cacheResponses(this.#options.orm, tenant, version, toCache);
    return responses;
  }
}

function checkOf(row: CachedRow): AccessCheck {
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
  if (!row.is_cached) return undefined;
  if (row.has_access !== true) return refused('provider-refused');
  return {
    hasAccess: true,
    accessRole: row.cached_role === null ? 'editor' : accessRoleName(row.cached_role),
    expiresAt: row.cached_until,
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
