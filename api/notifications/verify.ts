import type { PermissionProvider } from '../../domain/permissions/provider/permission-provider.ts';
import type { MayReachDocument } from '../../domain/notifications/decide-recipients.ts';
import {
  accessByProvider,
  verificationBytes,
  type AccessVerification,
} from '../../domain/notifications/verify-by-provider.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import type { OutsideAccess } from '../http/endpoint.ts';
import { unreservedBytes } from '../http/response/read-budget.ts';

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
  async reach(
    { provider, tenant, verification }: PendingVerification,
    _signal: AbortSignal,
    { reserve }: Pick<OutsideAccess, 'reserve'>,
  ): Promise<MayReachDocument | undefined> {
    // A provider that does not respond holds the pairs in memory for `limitMs`.
    const bytes = verificationBytes(verification);
    if (bytes > unreservedBytes) await reserve(bytes);
    return accessByProvider(provider, tenant, verification);
  },
};
