import { readDeliveries, type DeliveryRow } from '../../notices/read-deliveries.ts';
import type { Section } from './section.ts';

/** Deliveries to the person by e-mail and Slack, oldest first. */
export const deliveries: Section<DeliveryRow> = async (em, person, { after, limit }) => {
  const { tenant, user, organization } = person;
  const [at, id] = after ?? [];
  const position = at === undefined || id === undefined ? undefined : { at, id };
  const page = await readDeliveries(
    em,
    { tenantId: tenant.id, organization, user },
    { after: position, limit, order: 'asc' },
  );
  return { rows: page.deliveries, next: page.next && [page.next.at, page.next.id], cut: page.cut };
};
