import { z } from 'zod';
import { effectiveAccess } from '../../domain/permissions/effective-access-statement.ts';
import { verdictOf, type AccessRow } from '../../domain/permissions/verdict.ts';
import { resourceKindNumbers, resourceKinds } from '../../domain/tenancy/resource-kinds.ts';
import { authenticate } from './credentials.ts';
import { pool, text, type Handler } from './parts.ts';

const call = z.object({
  data: z.object({
    userId: text,
    resources: z
      .array(z.object({ type: z.enum(resourceKinds), id: text, organizationId: text }))
      .min(1)
      .max(100),
  }),
});

const statement = effectiveAccess({ explain: false });
const publicToAll = 1;

/** The statement decides; what it found is put into words as Steward does. */
export const checkPermissions: Handler = async (body, headers) => {
  const { userId, resources } = call.parse(body).data;
  const key = await authenticate(headers);
  const { rows } = await pool.query<AccessRow>({
    name: 'permissions',
    text: statement,
    values: [
      key,
      [userId],
      resources.map(({ type }) => resourceKindNumbers[type]),
      resources.map(({ organizationId }) => organizationId),
      resources.map(({ id }) => id),
      publicToAll,
      publicToAll,
      false,
      null,
    ],
  });
  const data = rows.map((row, index) => ({ ...resources[index], ...verdictOf(row) }));
  return { result: { status: 'success', message: 'Permissions checked successfully.', data } };
};
