import { z } from 'zod';
import { actorKinds, auditOutcomes } from '../../domain/audit/audit-entry.entity.ts';
import { readAuditEntries, type AuditFilter, type AuditRow } from '../../domain/audit/read-entries.ts';
import { userTargets } from '../../domain/audit/user-targets.ts';
import type { Work } from '../http/endpoint.ts';
import type { PageReader } from '../http/response/page-reader.ts';
import { exclude } from '../rules.ts';
import { customerId, milliseconds, text } from '../schemas.ts';

const values = z.looseObject({}).nullable();

/** When entries are written, for the descriptions of the operations that list them. */
export const auditedActions =
  'An entry is committed with its action, with five exceptions. `key.act_for`, `user_data.export` and ' +
  '`audit_log.export` are recorded before the call, even if it then fails. `encryption_key.rotate` and ' +
  '`user_data.replay` are recorded after the work. Denied attempts have entries too, up to a rate limit, ' +
  'written after the response. Secrets are never recorded, and users only as pseudonyms. Entries are kept for 365 days by default.';

/** An entry in responses. */
export const auditEntryResponse = z
  .strictObject({
    id: z.string().describe('Id of the entry.'),
    at: milliseconds.describe('When the action happened, in milliseconds since the epoch.'),
    workspaceId: z.string().nullable().describe('Id of the workspace. Null when the action concerns none.'),
    keyId: z
      .string()
      .nullable()
      .describe('Public id of the API key, `akid_…`. Null when the action concerns none.'),
    actorKind: z.enum(actorKinds).describe('Kind of credentials of the actor.'),
    actor: z
      .string()
      .nullable()
      .meta({
        description:
          'Public id of the auth token, workspace or operator token; `operator` for the token of the deployment. Calls ' +
          'of the console have their session, `ses_…`. Null: a command, or the credentials were wrong.',
      }),
    address: z.string().nullable().meta({ description: 'IP address of the actor.' }),
    action: z.string().describe('Action, such as `key.update`.'),
    target: z.string().nullable().meta({ description: 'A public id, or the pseudonym of a user.' }),
    outcome: z.enum(auditOutcomes).describe('Whether the action succeeded or was denied.'),
    before: values.meta({
      description:
        'Previous values of the fields that changed. Only `{"omittedBytes": n}`, their size, if that is more than 16 KiB.',
    }),
    after: values.meta({
      description:
        'New values. Secrets are `***`, e-mail addresses pseudonyms. Only `{"omittedBytes": n}` beyond 16 KiB.',
    }),
    requestId: z
      .string()
      .nullable()
      .describe(
        'The `X-Request-Id` of the request. Null when there was none, and for an id that may name a person: longer ' +
          'than 64 characters, or with others than letters, digits, `_`, `.`, `:` and `-`.',
      ),
    notRecorded: z.int().meta({
      description:
        'Number of earlier denied attempts, in all workspaces, that were not recorded, because they exceeded the rate ' +
        'limit of entries. Only operators see it; 0 for workspaces.',
    }),
  })
  .meta({ id: 'AuditEntry' });

type Entry = z.input<typeof auditEntryResponse>;

const filterText = text(1_000).min(1).optional();

/** The filters of a request, combined with AND. */
export const auditFilters = {
  action: filterText.meta({ description: 'Only entries of this action, such as `key.update`.' }),
  target: filterText.describe('Public id of the target. Excludes `userId`. Max 1,000 characters.'),
  userId: customerId.optional().meta({
    description: 'Id of a user; finds entries about the user, which contain a pseudonym. Excludes `target`.',
  }),
  actor: filterText.describe(
    'The token, workspace or session that acted, as in `actor` of an entry. Max 1,000 characters.',
  ),
  actorKind: z.enum(actorKinds).optional().describe('Only entries with this kind of credentials.'),
  keyId: filterText.meta({ description: 'Public id of an API key, `akid_…`.' }),
  outcome: z.enum(auditOutcomes).optional().describe('Only entries with this outcome.'),
  from: milliseconds
    .optional()
    .describe('Only entries at or after this time, in milliseconds since the epoch.'),
  until: milliseconds.optional().describe('Only entries before this time, in milliseconds since the epoch.'),
};

export const oneTarget = exclude('target', 'userId');

type Filters = z.output<z.ZodObject<typeof auditFilters>>;

/** The entries that a caller may see: those of one workspace, or all. */
export interface AuditScope {
  /** Surrogate key and public id. */
  readonly workspace?: { readonly id: string; readonly workspaceId: string };
}

/**
 * Returns a reader of entries, newest first. Only operators see operators' addresses, and numbers of omitted attempts,
 * which concern all workspaces.
 */
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
  notRecorded: toOperator ? row.dropped : 0,
});
