import type { Figure } from '../figure.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import { documentId, organizationId } from '../tenant.ts';
import type { Receiving } from './receiving.ts';
import { activities, newTenant } from './tenant.ts';

/** Max endpoints of a key. */
const ofAKey = 100;

/** Sends one event to each of many endpoints concurrently. Measures the seconds until the last arrival. */
export async function measureManyEndpoints(site: Site, run: Run, receiver: Receiving): Promise<Figure[]> {
  const keys = run.quick ? 2 : 10;
  const tenants = [];
  for (let key = 0; key < keys; key += 1) {
    const path = (endpoint: number): string => `${receiver.url}/${String(key)}/${String(endpoint)}`;
    const endpoints = Array.from({ length: ofAKey }, (_, endpoint) => ({ url: path(endpoint) }));
    tenants.push(await newTenant(site, endpoints));
  }
  await receiver.command('forget');
  const began = Date.now();
  await Promise.all(
    tenants.map(({ steward }) =>
      steward.activities.add({ organizationId, documentId, activities: activities('e', 0, 1) }),
    ),
  );
  const { distinct, last } = await receiver.until(keys * ofAKey, 120, run.signal);
  if (distinct < keys * ofAKey || last === null) {
    throw new Error(`${String(distinct)} of ${String(keys * ofAKey)} arrived.`);
  }
  return [
    {
      name: `${String(keys * ofAKey)} endpoints with one event each: all delivered`,
      unit: 's',
      steward: (last - began) / 1_000,
      target: { of: 'measured', is: 'at most', value: 30 },
    },
  ];
}
