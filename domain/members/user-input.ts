import type { Metadata } from '../metadata.ts';
import type { AccessRole } from '../tenancy/access-roles.ts';

/** A user in a request. Undefined members keep their value, or are empty for a new user. */
export interface UserInput {
  readonly userId: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /** Role of the membership at the requested level. */
  readonly accessRole?: AccessRole | undefined;
  /** Other profile members and free metadata, stored together. */
  readonly metadata: Metadata;
}
