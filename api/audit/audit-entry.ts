import { z } from 'zod';
import { actorKinds, auditOutcomes } from '../../domain/audit/audit-entry.entity.ts';
import { readAuditEntries, type AuditFilter, type AuditRow } from '../../domain/audit/read-entries.ts';
import { userTargets } from '../../domain/audit/user-targets.ts';
import type { Work } from '../http/endpoint.ts';
import type { PageReader } from '../http/response/page-reader.ts';
import { exclude } from '../rules.ts';
import { customerId, milliseconds, text } from '../schemas.ts';

const values = z.looseObject({}).nullable();

/** An entry in responses. */
export const auditEntryResponse = z.strictObject({
  id: z.string(),
  at: milliseconds,
  workspaceId: z.string().nullable(),
  keyId: z.string().nullable(),
  actorKind: z.enum(actorKinds),
  actor: z.string().nullable().meta({
    description:
      'Public id of the auth token, workspace or operator token. Null: the credentials were wrong.',
  }),
  address: z.string().nullable().meta({ description: 'IP address of the actor.' }),
  action: z.string(),
  target: z.string().nullable().meta({ description: 'A public id, or the pseudonym of a user.' }),
  outcome: z.enum(auditOutcomes),
  before: values.meta({ description: 'Former values of the members that changed.' }),
  after: values.meta({ description: 'New values. Secrets are `***`, email addresses pseudonyms.' }),
  requestId: z.string().nullable(),
  notRecorded: z
    .int()
    .meta({ description: 'Denied attempts before this one that exceeded the rate of records.' }),
});

type Entry = z.input<typeof auditEntryResponse>;

const filterText = text(1_000).min(1).optional();

/** The filters of a request, combined with AND. */
export const auditFilters = {
  action: filterText.meta({ description: 'Such as `key.update`.' }),
  target: filterText,
  userId: customerId
    .optional()
    .meta({ description: 'Finds entries about a user, which name it by a pseudonym. Excludes `target`.' }),
  actor: filterText,
  actorKind: z.enum(actorKinds).optional(),
  keyId: filterText.meta({ description: 'The public id of an API key: `akid_…`.' }),
  outcome: z.enum(auditOutcomes).optional(),
  from: milliseconds.optional(),
  until: milliseconds.optional().meta({ description: 'Exclusive.' }),
};

export const oneTarget = exclude('target', 'userId');

type Filters = z.output<z.ZodObject<typeof auditFilters>>;

/** The entries that a caller may see: those of one workspace, or all. */
export interface AuditScope {
  /** Surrogate key and public id. */
  readonly workspace?: { readonly id: string; readonly workspaceId: string };
}

/** Returns a reader of entries, newest first. Operators' addresses are shown to operators only. */
export function auditPages(
  { em, keyRing }: Pick<Work, 'em' | 'keyRing'>,
  { workspace }: AuditScope,
  { target, userId, ...filters }: Filters,
): PageReader<Entry> {
  let filter: AuditFilter | undefined;
  const resolved = async (): Promise<AuditFilter> => {
    const scope = { keyId: filters.keyId, workspaceId: workspace?.id };
    const targets =
      userId !== undefined
        ? await userTargets(em, keyRing, scope, userId)
        : target === undefined
          ? undefined
          : [target];
    return { ...filters, targets, workspaceId: workspace?.workspaceId };
  };
  return async (after, limit) => {
    filter ??= await resolved();
    const position = after && { at: String(after[0]), id: String(after[1]) };
    const { entries, next, cut } = await readAuditEntries(em, filter, { after: position, limit });
    const items = entries.map((row) => viewOf(row, workspace === undefined));
    return { items, next: next && [next.at, next.id], cut };
  };
}

const viewOf = (row: AuditRow, toOperator: boolean): Entry => ({
  id: row.id,
  at: row.at.getTime(),
  workspaceId: row.workspace_id,
  keyId: row.key_id,
  actorKind: row.actor_kind,
  actor: row.actor,
  address: row.actor_kind === 'operator' && !toOperator ? null : row.address,
  action: row.action,
  target: row.target,
  outcome: row.outcome,
  before: (row.content?.before ?? null) as Entry['before'],
  after: (row.content?.after ?? null) as Entry['after'],
  requestId: row.request_id,
  notRecorded: row.dropped,
});
