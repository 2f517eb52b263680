import { Kysely, PostgresDialect } from 'kysely';
import { z } from 'zod';
import { effectiveAccess } from '../../domain/permissions/effective-access-statement.ts';
import { verdictOf, type AccessRow } from '../../domain/permissions/verdict.ts';
import { resourceKindNumbers, resourceKinds } from '../../domain/tenancy/resource-kinds.ts';
import { authenticate } from './credentials.ts';
import { pool, text, type Handler } from './shared.ts';

const call = z.object({
  data: z.object({
    userId: text,
    resources: z
      .array(z.object({ type: z.enum(resourceKinds), id: text, organizationId: text }))
      .min(1)
      .max(100),
  }),
});

/** Compiled once with marker values, which are replaced by those of each call. */
const { sql: statement, parameters } = effectiveAccess(
  { id: 'key', switches: { defaultDocumentAccessType: 'public', defaultFolderAccessType: 'public' } },
  { userIds: ['user'], resources: [{ type: 'document', organizationId: 'organization', id: 'document' }] },
).compile(new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) }));

/** Decides by the statement and renders the result as Steward does. */
export const checkPermissions: Handler = async (body, headers) => {
  const { userId, resources } = call.parse(body).data;
  const key = await authenticate(headers);
  const values = new Map<string, unknown>([
    ['key', key],
    ['user', [userId]],
    [String(resourceKindNumbers.document), resources.map(({ type }) => resourceKindNumbers[type])],
    ['organization', resources.map(({ organizationId }) => organizationId)],
    ['document', resources.map(({ id }) => id)],
  ]);
  const { rows } = await pool.query<AccessRow>({
    name: 'permissions',
    text: statement,
    values: parameters.map((value) => values.get(String(value)) ?? value),
  });
  const data = rows.map((row, index) => ({ ...resources[index], ...verdictOf(row) }));
  return { result: { status: 'success', message: 'Permissions checked successfully.', data } };
};
