import type { Metadata } from '../metadata.ts';
import type { AccessType } from '../tenancy/tenant.ts';

/** A folder in a request. Absent members keep their value; new folders get the default. */
export interface FolderInput {
  readonly folderId: string;
  readonly folderName?: string | undefined;
  /** `root`: the top level. */
  readonly parentFolderId?: string | undefined;
  readonly accessType?: AccessType | undefined;
  readonly metadata: Metadata;
}
