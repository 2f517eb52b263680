import type { PermissionProvider } from '../../domain/permissions/provider/permission-provider.ts';
import type { MayReach } from '../../domain/notifications/decide-recipients.ts';
import { accessByProvider, type AccessVerification } from '../../domain/notifications/verify-by-provider.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';

/** The access to check with the API key's permission provider, between two transactions. */
export interface PendingVerification {
  readonly provider: PermissionProvider;
  readonly tenant: Tenant;
  readonly verification: AccessVerification;
}

/** Outside steps of add and update: only keys with a provider call it, and only with `verifyUserPermissions`. */
export const verifyOutside = {
  /** The provider's own limits are shorter. */
  limitMs: 75_000,
  needed: ({
    tenant,
    data,
  }: {
    readonly tenant: Tenant;
    readonly data: { readonly verifyUserPermissions: boolean };
  }): boolean => data.verifyUserPermissions && tenant.switches.permissionProvider,
  reach: async ({ provider, tenant, verification }: PendingVerification): Promise<MayReach | undefined> =>
    accessByProvider(provider, tenant, verification),
};
