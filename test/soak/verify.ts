import { eventually } from '../support/eventually.ts';
import type { Ledger } from './ledger.ts';
import type { Outage } from './outage.ts';
import type { Received, SoakReceiver } from './receiver.ts';
import { queryOnce } from './samples.ts';
import { organizationId, type SoakTenant } from './tenant.ts';

/** Milliseconds to wait for deliveries that failed during an outage. */
const settlesWithinMs = 15 * 60_000;
const unsettled = `
  select (select count(*) from outbox)::int as events, (select count(*) from delivery where status = 0)::int as deliveries,
    (select count(*) from job where ended_at is null)::int as jobs`;

/** Waits until all events are dispatched and delivered, and all jobs have ended. */
export async function settle(databaseUrl: () => Promise<string>, ledger: Ledger): Promise<void> {
  let seen: object | undefined;
  const nothingLeft = async (): Promise<boolean> => {
    seen = await queryOnce(await databaseUrl(), unsettled);
    return seen !== undefined && Object.values(seen).every((count) => count === 0);
  };
  const settled = await eventually(nothingLeft, { within: settlesWithinMs }).catch(() => false);
  ledger.check('after the load, nothing is left to do within 15 minutes', settled, () =>
    JSON.stringify(seen),
  );
}

/** The kills and faults of a run. */
export interface Disturbed {
  readonly outages: readonly Outage[];
  /** Milliseconds between the arrival of an event and its record, in which an outage causes a repeated arrival. */
  readonly recordedWithinMs: number;
}

/** Compares acknowledged writes with stored records and with arrived events. */
export async function verify(
  tenants: readonly SoakTenant[],
  receiver: SoakReceiver,
  ledger: Ledger,
  disturbed: Disturbed,
): Promise<void> {
  for (const tenant of tenants) {
    const received = receiver.of(tenant.name);
    for (const documentId of tenant.documentIds) {
      const acknowledged = ledger.acknowledged(tenant.name, documentId);
      const stored = await storedIds(tenant, documentId);
      const lost = acknowledged.filter((id) => !stored.has(id));
      ledger.check('every acknowledged activity is stored', lost.length === 0, () =>
        listed(lost, documentId),
      );
      const withoutEvent = [...stored].filter((id) => !received.records.has(id));
      ledger.check('every stored activity has its event', withoutEvent.length === 0, () =>
        listed(withoutEvent, documentId),
      );
    }
    checkEvents(tenant.name, received, ledger, disturbed);
  }
}

const listed = (ids: readonly string[], where: string): string =>
  `${String(ids.length)} in ${where}, e.g. ${ids.slice(0, 5).join(', ')}`;

async function storedIds({ client }: SoakTenant, documentId: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const request = { organizationId, documentId, pageSize: 1_000 };
  for await (const { id } of client.activities.get(request)) found.add(id);
  return found;
}

function checkEvents(
  name: string,
  received: Received,
  ledger: Ledger,
  { outages, recordedWithinMs }: Disturbed,
): void {
  const { sequences, again, twice, highest } = received;
  ledger.check('no event is recorded twice', twice.length === 0, () => listed(twice, name));
  ledger.check(
    'sequences have no gap',
    highest === sequences.size,
    () => `${name}: ${String(sequences.size)} of ${String(highest)}`,
  );
  const unexplained = again.filter(
    (at) => !outages.some((one) => one.at <= at && at <= one.at + one.downMs + recordedWithinMs),
  );
  ledger.check(
    'an event arrives again only after a kill or a fault',
    unexplained.length === 0,
    () => `${name}: ${String(unexplained.length)} of ${String(again.length)}`,
  );
}
