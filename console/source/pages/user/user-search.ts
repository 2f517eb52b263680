import type { Paged } from '../../shell/search.ts';

export const userTabs = ['access', 'preferences', 'export', 'deletion'] as const;
export type UserTab = (typeof userTabs)[number];

export interface UserSearch extends Paged {
  readonly userId: string;
  /** The organization whose memberships, preferences and data are shown. */
  readonly organizationId?: string | undefined;
  readonly tab?: UserTab | undefined;
  /** The user for whom the jobs were started. Jobs of another user than the page's are left out. */
  readonly jobsUserId?: string | undefined;
  /** The job of the dry run of a deletion. */
  readonly dryRunId?: string | undefined;
  /** The job of a deletion. */
  readonly deletionId?: string | undefined;
}
