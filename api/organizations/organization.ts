import { z } from 'zod';
import type { OrganizationInput } from '../../domain/organizations/write-organizations.ts';
import type { OrganizationRow } from '../../domain/organizations/read-organizations.ts';
import { metadataOf, openRecord } from '../metadata.ts';
import { customerId, name } from '../schemas.ts';

const known = { organizationId: customerId, organizationName: name.optional() };

/** An organization in a request. Unknown members are free metadata. */
export const organizationInput = openRecord(known);

/** Separates the known members from the free metadata. */
export function toOrganizationInput(sent: z.output<typeof organizationInput>): OrganizationInput {
  const { organizationId, organizationName } = sent;
  return { organizationId, organizationName, metadata: metadataOf(sent, known) };
}

export const organizationResponse = z.looseObject({
  id: z.string(),
  organizationName: z.string(),
  disabled: z.boolean(),
});

/** Converts an organization row to a response. */
export function organizationView({ ext_id, name, disabled, metadata }: OrganizationRow) {
  return { ...metadata, id: ext_id, organizationName: name, disabled };
}
