import type { EntityManager } from '../platform/database/orm.ts';
import type { Tenant } from './tenancy/tenant.ts';
import { lockPeople } from './users/lock-named.ts';
import type { JsonKind } from './users/json-name.entity.ts';
import { allNames, indexRecords } from './users/name-index.ts';
import { mergedPeople, namedPeople, type NamedPeople } from './users/named-users.ts';

/** Free members of a record, as they came. */
export type Metadata = Readonly<Record<string, unknown>>;

/** For a statement that merges metadata: what to set, and which members a `null` removes. */
export interface MetadataPatch {
  readonly set: string;
  readonly remove: readonly string[];
}

/** `null` removes a member, everything else replaces it whole: the merge is shallow. */
export function metadataPatch(metadata: Metadata): MetadataPatch {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return unchanged;
  return {
    set: JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== null))),
    remove: entries.filter(([, value]) => value === null).map(([name]) => name),
  };
}

const unchanged: MetadataPatch = { set: '{}', remove: [] };

interface Described {
  readonly metadata: Metadata;
}

/** Most records have none, and are passed over before anything is made for them. */
function hasMetadata({ metadata }: Described): boolean {
  for (const name in metadata) if (Object.hasOwn(metadata, name)) return true;
  return false;
}

/** Whom the metadata of records names; undefined for nobody, which most metadata does. */
export function peopleInMetadata(records: readonly Described[]): NamedPeople | undefined {
  const people = mergedPeople(records.filter(hasMetadata).map(({ metadata }) => namedPeople(metadata)));
  return people.userIds.size + people.keys.size === 0 ? undefined : people;
}

/** Locks, or refuses, whom metadata names. The organizations are surrogate keys; null is any. */
export async function lockPeopleInMetadata(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  records: readonly Described[],
  organizations: readonly string[] | null,
): Promise<void> {
  const people = peopleInMetadata(records);
  if (people !== undefined) await lockPeople(em, tenant, people, organizations);
}

/** Indexes the names in the metadata of records that were written: `idOf` tells the surrogate key of one, undefined where it was not. */
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
