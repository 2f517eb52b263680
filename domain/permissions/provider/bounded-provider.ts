import { HeldAmounts } from '../../../platform/process/held-amounts.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import type { AccessQuery } from '../effective-access-statement.ts';
import type { LocatedRow, Verdict } from '../verdict.ts';
import type { Decider } from './permission-provider.ts';

/** Thrown for a query that must wait. The provider was not asked. */
export class ProviderBusy extends Error {}

/**
 * Limits the queries that the jobs of one process have in flight: a quarter of its slots for one key, half of them for all
 * keys, at least one each. So a provider that does not respond leaves slots to other jobs. A query beyond throws
 * `ProviderBusy` at once.
 */
export class BoundedProvider implements Decider {
  readonly #provider: Decider;
  readonly #maxOfKey: number;
  readonly #max: number;
  /** Queries in flight. */
  readonly #held = new HeldAmounts();

  constructor(provider: Decider, slots: number) {
    this.#provider = provider;
    this.#maxOfKey = Math.max(1, Math.floor(slots / 4));
    this.#max = Math.max(1, Math.floor(slots / 2));
  }

  async decide(tenant: Tenant, query: AccessQuery): Promise<[LocatedRow, Verdict][]> {
    if (this.#held.of(tenant.id) >= this.#maxOfKey || this.#held.all >= this.#max)
      throw new ProviderBusy('Too many queries to permission providers are in flight.');
    return this.#held.during(tenant.id, 1, async () => this.#provider.decide(tenant, query));
  }
}
