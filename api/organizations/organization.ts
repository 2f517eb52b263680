import { z } from 'zod';
import type { OrganizationInput } from '../../domain/organizations/add-or-update-organizations.ts';
import type { OrganizationRow } from '../../domain/organizations/read-organizations.ts';
import { metadataOf, openRecord } from '../cross-resource/metadata.ts';
import { idOf, name } from '../schemas.ts';

const known = {
  organizationId: idOf('the organization'),
  organizationName: name
    .optional()
    .describe(
      'Name of the organization, max 1,000 characters. A new organization without one is named by its id.',
    ),
};

/** An organization in a request. Unknown members are free metadata. */
export const organizationInput = openRecord(known);

/** Separates the known members from the free metadata. */
export function toOrganizationInput(sent: z.output<typeof organizationInput>): OrganizationInput {
  const { organizationId, organizationName } = sent;
  return { organizationId, organizationName, metadata: metadataOf(sent, known) };
}

export const organizationResponse = z
  .looseObject({
    id: z.string().describe('Id of the organization.'),
    organizationName: z.string().describe('Name of the organization.'),
    disabled: z
      .boolean()
      .describe('Whether access is off: every access check in the organization then fails.'),
  })
  .meta({ id: 'Organization' });

/** Converts an organization row to a response. */
export function organizationView({ ext_id, name, disabled, metadata }: OrganizationRow) {
  return { ...metadata, id: ext_id, organizationName: name, disabled };
}
