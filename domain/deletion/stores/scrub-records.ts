import type { EntityManager } from '../../../platform/database/orm.ts';
import { userIdsOf } from '../../users/user-ids.ts';
import type { PersonScope } from './personal-data-store.ts';
import { lockRecords, writeRecords, type HeldRecord, type ScrubbedKind } from './scrubbed-kinds.ts';
import type { PersonIdentifiers } from './without-people.ts';

/** Removes people from the free JSON of records. Returns the records as they were before. */
export async function scrubRecords(
  em: EntityManager,
  { tenantId, users }: PersonScope,
  identifiers: PersonIdentifiers,
  kind: ScrubbedKind,
  ids: readonly string[],
): Promise<readonly HeldRecord[]> {
  const people = new Set(users.map(({ id }) => id));
  const held = await lockRecords(em, tenantId, kind, ids);
  const known = await userIdsOf(
    em,
    tenantId,
    held.flatMap(({ mentioned }) => mentioned),
  );
  const scrubbed = held.map((record) => {
    const left = kind.scrub(record, identifiers);
    const stay = record.mentioned.filter((id) => !people.has(id) && left.names.has(known.get(id) ?? ''));
    return { ...left, mentioned: stay };
  });
  await writeRecords(em, tenantId, kind, scrubbed);
  return held;
}
