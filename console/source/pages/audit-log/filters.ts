import type { WorkspaceAuditLogGetRequest as Request } from '@steward/client';
import type { Paged } from '../../shell/search.ts';

export const actorKinds = [
  'apiKey',
  'workspace',
  'operator',
  'command',
] as const satisfies readonly Request['actorKind'][];
export const outcomes = ['succeeded', 'denied'] as const satisfies readonly Request['outcome'][];

/** Times are milliseconds since the epoch. */
export interface AuditSearch extends Paged {
  readonly action?: string | undefined;
  readonly actor?: string | undefined;
  readonly actorKind?: (typeof actorKinds)[number] | undefined;
  readonly outcome?: (typeof outcomes)[number] | undefined;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}
