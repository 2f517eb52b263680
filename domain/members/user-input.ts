import type { Metadata } from '../metadata.ts';
import type { AccessRole } from '../tenancy/access-roles.ts';

/** A person as a caller describes them. What is undefined stays as it is, or is empty when they are new. */
export interface UserInput {
  readonly userId: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /** Role of the membership that the call names. */
  readonly accessRole?: AccessRole | undefined;
  /** Further members of the profile and free metadata, stored side by side. */
  readonly metadata: Metadata;
}
