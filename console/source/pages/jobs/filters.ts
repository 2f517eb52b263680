import type { JobsListRequest } from '@steward/client';
import type { Paged } from '../../shell/search.ts';

export const jobKinds = [
  'document-migration',
  'user-data-deletion',
  'webhook-provisioning',
  'cascade',
  'key-deletion',
] as const satisfies readonly JobsListRequest['kind'][];
export const jobStatuses = [
  'pending',
  'in_progress',
  'completed',
  'failed',
] as const satisfies readonly JobsListRequest['status'][];

export interface JobsSearch extends Paged {
  readonly kind?: (typeof jobKinds)[number] | undefined;
  readonly status?: (typeof jobStatuses)[number] | undefined;
}
