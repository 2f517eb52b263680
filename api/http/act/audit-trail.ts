import type { AuditedValues, SecretPaths } from '../../../domain/audit/audited-values.ts';

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

  /** Sets the API key (`akid_…`) of the entry when neither the caller nor the target is the key. Null: of no key. */
  key(keyId: string | null): void {
    this.keyId = keyId ?? undefined;
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
