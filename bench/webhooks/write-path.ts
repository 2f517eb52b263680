import { compare } from '../comparison.ts';
import type { Figure } from '../figure.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import type { Receiving } from './receiving.ts';
import { adding, newTenant } from './tenant.ts';

const maxTimes = 1.25;

/**
 * Compares a write with webhooks on and off. No endpoint wants the event, so that only the write itself counts, not
 * deliveries on the same machine.
 */
export async function measureWritePath(site: Site, run: Run, receiver: Receiving): Promise<Figure[]> {
  const off = await newTenant(site, []);
  const recording = await newTenant(site, [{ url: receiver.url, filterTypes: ['of.nobody'] }]);
  const figures: Figure[] = [];
  for (const connections of [1, 50]) {
    const wait = connections === 1 ? 'one caller' : `${String(connections)} callers`;
    figures.push(
      ...(await compare(
        site,
        {
          name: `activities/add of 1 with webhooks on, ${wait}`,
          connections,
          steward: adding(site, recording, `w${String(connections)}-${String(Date.now())}`, 1),
          against: [
            {
              name: 'with webhooks off',
              by: 'steward',
              shownAs: 'times',
              target: adding(site, off, `o${String(connections)}-${String(Date.now())}`, 1),
              aim: { of: 'ratio', is: 'at most', value: maxTimes },
            },
          ],
        },
        run,
      )),
    );
  }
  return figures;
}
