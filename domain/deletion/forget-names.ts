import { sql } from 'kysely';
import { z } from 'zod';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import { retryConflicts } from '../../platform/database/retry-conflicts.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { processNext, type Remaining } from '../process-next.ts';
import { jsonKinds } from '../users/json-name.entity.ts';
import { holdNames } from '../users/lock-named.ts';
import { anyName } from '../users/name-index.ts';
import { indexedNamesOf, identify } from './stores/addresses.ts';
import { allowIndexScansOnly } from './stores/index-scans-only.ts';
import type { IdentifiedScope, PersonalDataStore, PersonScope } from './stores/personal-data-store.ts';
import { tableStore } from './stores/table-store.ts';
import { lockDeletion, readPersonScope, type ActiveDeletion } from './active-deletion.ts';

const inAll = { sql: () => sql`true` };

/** The indexes of names, each by its primary key. Here the people of a scope are hashes of names. */
const indexes: readonly PersonalDataStore[] = [
  tableStore({
    name: 'momentNames',
    kind: null,
    index: {
      table: 'moment_name',
      columns: ['name_hash', 'endpoint_id', 'at'],
      times: ['at'],
      ofTenant: ({ tenantId }) => sql`t.api_key_id = ${tenantId}`,
      organization: inAll,
    },
  }),
  ...Object.entries(jsonKinds).map(([name, kind]) =>
    tableStore({
      name: `${name}Names`,
      kind: null,
      index: {
        table: 'json_name',
        columns: ['name_hash', 'block'],
        ofTenant: ({ tenantId }) => sql`t.api_key_id = ${tenantId} and t.kind = ${sql.lit(kind)}`,
        organization: inAll,
      },
    }),
  ),
];

/**
 * Removes the names of a verified deletion's people from the indexes of names, in short transactions; the write fence
 * prevents new ones. Yields after each. A deletion in named organizations keeps them. An address of another user stays:
 * that user's deletion finds records by it.
 */
export async function* forgetNames(orm: Orm, deletion: ActiveDeletion): AsyncGenerator<void, void> {
  const scope = await readPersonScope(orm.em.fork(), deletion);
  if (scope.organizations !== null) return;
  let left: Remaining<PersonalDataStore> = { kinds: indexes, after: null };
  while (left.kinds.length > 0) {
    const from = left;
    left = await retryConflicts(async () =>
      inTransaction(orm, async (em) => forgetNext(em, deletion, scope, from)),
    );
    yield;
  }
}

/**
 * Removes the next batch; skips indexes without the names. Reads the names again, because another user may have taken
 * over an address. No writer runs meanwhile: it could name that user, and rely on index rows that the batch removes.
 */
async function forgetNext(
  em: EntityManager,
  deletion: ActiveDeletion,
  scope: PersonScope,
  left: Remaining<PersonalDataStore>,
): Promise<Remaining<PersonalDataStore>> {
  const locked = await lockDeletion(em, deletion, ['verifying']);
  if (locked?.verifiedAt === undefined || locked.verifiedAt === null) return { kinds: [], after: null };
  await holdNames(em, { id: deletion.tenantId });
  await allowIndexScansOnly(em);
  const names = await hashesOf(em, scope);
  if (names.users.length === 0) return { kinds: [], after: null };
  // A batch that is the last of its index does not end the transaction.
  return processNext(left, 0, async (store, after) => {
    const { last } = await store.remove(em, names, after);
    return { records: 0, last };
  });
}

const HashRow = z.strictObject({ id: z.string() });

/** The hashes of the people's names as the people of a scope, in ascending order. */
async function hashesOf(em: EntityManager, people: PersonScope): Promise<IdentifiedScope> {
  const scope = await identify(em, people);
  const names = indexedNamesOf(scope.identifiers).filter((name) => name !== anyName);
  const hashes = await rowsOf(
    em,
    HashRow,
    sql`select distinct hashtextextended(n.name, ${scope.tenantId}::bigint) as id from unnest(${names}::text[]) as n (name)
      where not exists (
        select from user_address a where a.api_key_id = ${scope.tenantId} and a.address = n.name
          and a.user_id <> all(${scope.users.map(({ id }) => id)}::bigint[]) offset 0)
      order by id`,
  );
  return { ...scope, users: hashes.map(({ id }) => ({ id, userId: '' })) };
}
