import { recordAuditEntries, type Actor } from '../../../domain/audit/record-entries.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import type { Call, Credentials } from '../endpoint.ts';
import type { Audit, AuditTrail } from './audit-trail.ts';

/** A call of an endpoint with `audit`, and its caller. */
export interface AuditedCall {
  readonly audit: Audit<Call<Credentials, unknown>>;
  readonly call: Call<Credentials, unknown>;
  readonly actor: Actor;
}

/** Writes the entries of a call that succeeded, in the transaction of `em`. */
export async function recordCall(
  em: EntityManager,
  keyRing: KeyRing,
  { audit, call, actor }: AuditedCall,
  trail: AuditTrail,
): Promise<void> {
  const declared = audit.target?.(call) ?? null;
  const targets = trail.targets ?? (typeof declared === 'string' ? [declared] : declared);
  const tenant = 'tenant' in call ? call.tenant : undefined;
  await recordAuditEntries(em, keyRing, {
    actor,
    action: audit.action,
    outcome: 'succeeded',
    targets,
    users: audit.users?.(call),
    tenantId: tenant?.id,
    workspaceId: workspaceOf(call, targets),
    keyId: tenant?.keyId ?? trail.keyId ?? targets?.find((id) => id.startsWith('akid_')),
    values: trail.values,
    secrets: trail.secrets,
  });
}

/** A key names its workspace. The targets of its calls are no workspaces: customers choose their ids. */
function workspaceOf(
  call: Call<Credentials, unknown>,
  targets: readonly string[] | null,
): string | undefined {
  if ('workspace' in call) return call.workspace.workspaceId;
  return 'operator' in call ? targets?.find((id) => id.startsWith('ws_')) : undefined;
}
