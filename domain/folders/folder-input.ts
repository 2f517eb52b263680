import type { Metadata } from '../metadata.ts';
import type { AccessType } from '../tenancy/tenant.ts';

/** A folder as a call names it; absent members are kept, or take their default when it is added. */
export interface FolderInput {
  readonly folderId: string;
  readonly folderName?: string | undefined;
  /** `root` is the top. */
  readonly parentFolderId?: string | undefined;
  readonly accessType?: AccessType | undefined;
  readonly metadata: Metadata;
}
