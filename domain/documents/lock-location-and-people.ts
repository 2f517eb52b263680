import { required } from '../../platform/process/required.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { fencedNames, mayBeFenced, refuseFencedKeys } from '../users/lock-named.ts';
import { refuseFencedUsers } from '../users/lock-users.ts';
import type { NamedPeople } from '../users/named-users.ts';
import { storeAddresses } from '../users/user-addresses.ts';
import { lockLocationsAndRead, type LocationRequest, type LockedLocation } from './lock-location.ts';

/**
 * Locks like `lockLocation` and reads the write fences after the locks. Throws FAILED_PRECONDITION if one of the people is
 * fenced in the organization.
 */
export async function lockLocationAndPeople(
  em: EntityManager,
  tenant: Tenant,
  request: Omit<LocationRequest, 'userIds' | 'sharesNames'>,
  people: NamedPeople,
): Promise<LockedLocation> {
  const userIds = [...people.userIds];
  const names = fencedNames(people);
  const { locations, read: fenced } = await lockLocationsAndRead(
    em,
    tenant,
    [{ ...request, userIds, sharesNames: names.length > 0 }],
    async () => mayBeFenced(em, tenant, userIds, names),
  );
  const location = required(locations[0], 'location of a locked document');
  if (fenced) {
    await refuseFencedUsers(em, location.users, [location.organization]);
    if (names.length > 0) await refuseFencedKeys(em, tenant, names, [location.organization]);
  }
  await storeAddresses(em, tenant, location.users, people.addresses);
  return location;
}
