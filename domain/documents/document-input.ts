import type { Metadata } from '../metadata.ts';
import type { AccessType } from '../tenancy/tenant.ts';

/** A document in a request. Absent members keep their value; new documents get the default. */
export interface DocumentInput {
  readonly documentId: string;
  readonly documentName?: string | undefined;
  readonly accessType?: AccessType | undefined;
  readonly metadata: Metadata;
}
