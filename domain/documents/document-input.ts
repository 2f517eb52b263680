import type { Metadata } from '../metadata.ts';
import type { AccessType } from '../tenancy/tenant.ts';

/** A document as a call names it; absent members are kept, or take their default when it is added. */
export interface DocumentInput {
  readonly documentId: string;
  readonly documentName?: string | undefined;
  readonly accessType?: AccessType | undefined;
  readonly metadata: Metadata;
}
