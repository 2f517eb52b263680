import type { EntityManager } from '../../platform/database/orm.ts';
import type { Metadata } from '../metadata.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { JsonKind } from './json-name.entity.ts';
import { lockPeople } from './lock-named.ts';
import { allNames, indexRecords } from './name-index.ts';
import { mergedPeople, namedPeople, type NamedPeople } from './named-users.ts';
import { refuseManyUsers } from './refuse-many-users.ts';

interface Described {
  readonly metadata: Metadata;
}

/** Avoids allocations for records without metadata, which most are. */
function hasMetadata({ metadata }: Described): boolean {
  for (const name in metadata) if (Object.hasOwn(metadata, name)) return true;
  return false;
}

/**
 * People named in the metadata of records; undefined if there are none. Throws INVALID_ARGUMENT for too many users,
 * `userIds` included.
 */
export function peopleInMetadata(
  records: readonly Described[],
  userIds: readonly string[] = [],
): NamedPeople | undefined {
  const people = mergedPeople(records.filter(hasMetadata).map(({ metadata }) => namedPeople(metadata)));
  const alsoNamed = userIds.filter((userId) => !people.userIds.has(userId));
  refuseManyUsers(people.userIds.size + alsoNamed.length);
  return people.userIds.size + people.keys.size === 0 ? undefined : people;
}

/** Throws INVALID_ARGUMENT when the metadata of a call names too many users. Call it before anything is looked up. */
export function refuseManyInMetadata(records: readonly Described[]): void {
  peopleInMetadata(records);
}

/** The people named in the metadata of those records that exist. `all`: those of all records, which need no second scan. */
export function peopleOfExisting<Sent extends Described>(
  records: readonly Sent[],
  all: NamedPeople,
  exists: (record: Sent) => boolean,
): NamedPeople | undefined {
  const existing = records.filter(exists);
  return existing.length === records.length ? all : peopleInMetadata(existing);
}

/** Like `lockPeople`, for the people named in metadata. Organizations are surrogate keys; null means any. */
export async function lockPeopleInMetadata(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  records: readonly Described[],
  organizations: readonly string[] | null,
): Promise<void> {
  const people = peopleInMetadata(records);
  if (people !== undefined) await lockPeople(em, tenant, people, organizations);
}

/** Indexes names in the metadata of written records. `idOf` returns a record's surrogate key, undefined if it was not written. */
export async function indexMetadata<Sent extends Described>(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  kind: JsonKind,
  records: readonly Sent[],
  idOf: (record: Sent) => string | undefined,
): Promise<void> {
  const written = records.filter(hasMetadata).flatMap((record) => {
    const id = idOf(record);
    return id === undefined ? [] : [{ id, names: allNames(namedPeople(record.metadata)) }];
  });
  await indexRecords(em, tenant, kind, written);
}
