import { recordAuditEntries, type Actor } from '../../../domain/audit/record-entries.ts';
import type { AuditedValues, SecretPaths } from '../../../domain/audit/audited-values.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import type { Call, Credentials } from '../endpoint.ts';

/** Declares an audit entry for each call. `Sent` is the call. */
export interface Audit<Sent> {
  /** `<resource>.<verb>`, such as `key.disable`. */
  readonly action: string;
  /**
   * Public ids that the call acts on; each gets an entry. A handler adds ids that it creates with `AuditTrail.target`.
   */
  target?(call: Sent): string | readonly string[];
  /** Ids of the users that the call acts on; each gets an entry with its pseudonym. Excludes `target`. */
  users?(call: Sent): readonly string[];
}

/** The handler's additions to the audit entry of its call. Has no effect in an endpoint without `audit`. */
export class AuditTrail {
  targets: readonly string[] | undefined;
  keyId: string | undefined;
  values: AuditedValues | undefined;
  secrets: SecretPaths | undefined;

  /** Replaces the endpoint's `target` by the ids that the call acted on. Without ids the call has no entry. */
  target(...ids: readonly string[]): void {
    this.targets = ids;
  }

  /** Sets the API key (`akid_…`) of the entry when neither the caller nor the target is the key. */
  key(keyId: string): void {
    this.keyId = keyId;
  }

  /**
   * Stores the members that differ. Null: the target did not exist. Members at the paths of `secrets` become `***`,
   * e-mail addresses pseudonyms, and URLs lose their query.
   */
  changed(before: object | null, after: object | null, secrets: SecretPaths = []): void {
    this.values = { before, after };
    this.secrets = secrets;
  }
}

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
    workspaceId:
      'workspace' in call ? call.workspace.workspaceId : targets?.find((id) => id.startsWith('ws_')),
    keyId: tenant?.keyId ?? trail.keyId ?? targets?.find((id) => id.startsWith('akid_')),
    values: trail.values,
    secrets: trail.secrets,
  });
}
