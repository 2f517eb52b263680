import { z } from 'zod';
import {
  namedInPatches,
  updateActivityLogs as update,
} from '../../domain/activity-logs/update-activity-logs.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { refusingFencedFirst } from '../../domain/users/refusing-fenced-first.ts';
import { batchResponse } from '../http/response/batch.ts';
import { endpoint } from '../http/endpoint.ts';
import { rule } from '../rules.ts';
import { anything, customerId, idOf, openObject, records, text } from '../schemas.ts';

const patch = z
  .strictObject({
    id: customerId.describe('Id of the record, max 1,000 bytes.'),
    changes: openObject.optional().describe('Map from the name of a changed field to `from` and `to`.'),
    entityData: anything.optional().describe('Snapshot of the entity when the user acted; any JSON.'),
    entityTargetData: anything.optional().describe('Snapshot of the target when the user acted; any JSON.'),
    displayMessageTemplate: text(10_000)
      .optional()
      .describe('Text to show, max 10,000 characters, with variables such as `{{actionUser}}`.'),
    displayMessageTemplateData: openObject.optional().describe('Values of the template variables.'),
    actionIcon: text(2_048).optional().describe('URL or name of an icon, max 2,048 characters.'),
  })
  .check(
    rule('At least one member besides id must be provided.', { minProperties: 2 }, [], (sent, context) => {
      if (Object.keys(sent).every((member) => member === 'id')) {
        context.addIssue({ code: 'custom', message: '<m> must hold at least one member besides id.' });
      }
    }),
  );

export const updateActivityLogs = endpoint({
  paths: ['/v2/activities/update'],
  credentials: 'apiKey',
  mutates: true,
  maxBodyMebibytes: 10,
  summary: 'Updates activity logs.',
  description:
    'Updates up to 1,000 records in one transaction. Fields that are not sent keep their value; fields that ' +
    'are sent are replaced, not merged. An unknown record fails with `not-found`, without affecting the ' +
    'others; while activity logs are immutable, each record fails with `failed-precondition`. A record that ' +
    'would exceed 256 KiB is not changed and fails with `invalid-argument`, without affecting the others. An ' +
    'unknown organization fails the call with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data ' +
    'of a named user is being deleted. Emits no event.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    activities: records(patch, 'id').describe(
      'Changes to records, max 1,000. If an id occurs twice, the last one counts.',
    ),
  }),
  response: batchResponse(),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { organizationId: 'acme', activities: [{ id: 'a1', entityData: { text: 'Corrected.' } }] },
  async handle({ data, tenant }, { em }) {
    const patches = data.activities.map(({ id, ...members }) => ({ id, members }));
    // Before the organization is looked up: a request that names too many users is refused first.
    const named = { organizationId: data.organizationId, userIds: [...namedInPatches(patches).userIds] };
    const organization = await refusingFencedFirst(em, tenant, named, async () =>
      lockOrganization(em, tenant, data.organizationId),
    );
    return {
      message: 'Activity(s) updated successfully.',
      items: await update(em, tenant, organization, patches),
    };
  },
});
