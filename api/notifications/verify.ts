import type { PermissionProvider } from '../../domain/permissions/provider/permission-provider.ts';
import type { MayReach } from '../../domain/notifications/decide-recipients.ts';
import { accessByProvider, type AccessVerification } from '../../domain/notifications/verify-by-provider.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';

/** What is to be asked of the key's permission provider, between two transactions. */
export interface PendingVerification {
  readonly provider: PermissionProvider;
  readonly tenant: Tenant;
  readonly question: AccessVerification;
}

/** The steps that additions and updates share: the provider is asked only by keys that have one, and only when it is wanted. */
export const verifyOutside = {
  /** Milliseconds; the provider's own limits end before. */
  limitMs: 75_000,
  needed: ({
    tenant,
    data,
  }: {
    readonly tenant: Tenant;
    readonly data: { readonly verifyUserPermissions: boolean };
  }): boolean => data.verifyUserPermissions && tenant.switches.permissionProvider,
  reach: async ({ provider, tenant, question }: PendingVerification): Promise<MayReach | undefined> =>
    accessByProvider(provider, tenant, question),
};
