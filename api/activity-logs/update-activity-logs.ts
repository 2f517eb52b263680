import { z } from 'zod';
import { updateActivityLogs as update } from '../../domain/activity-logs/update-activity-logs.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { batchResponse } from '../http/response/batch.ts';
import { endpoint } from '../http/endpoint.ts';
import { rule } from '../rules.ts';
import { anything, customerId, idOf, openObject, records, text } from '../schemas.ts';

const patch = z
  .strictObject({
    id: customerId,
    changes: openObject.optional(),
    entityData: anything.optional(),
    entityTargetData: anything.optional(),
    displayMessageTemplate: text(10_000).optional(),
    displayMessageTemplateData: openObject.optional(),
    actionIcon: text(2_048).optional(),
  })
  .check(
    rule('At least one member besides id must be provided.', { minProperties: 2 }, (sent, context) => {
      if (Object.keys(sent).length < 2) {
        context.addIssue({ code: 'custom', message: '<m> must hold at least one member besides id.' });
      }
    }),
  );

export const updateActivityLogs = endpoint({
  paths: ['/v2/activities/update'],
  credentials: 'apiKey',
  mutates: true,
  maxBodyMebibytes: 10,
  summary: 'Updates activity logs: each member sent replaces the stored one. Emits no events.',
  data: z.strictObject({ organizationId: idOf('the organization'), activities: records(patch, 'id') }),
  response: batchResponse(),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { organizationId: 'acme', activities: [{ id: 'a1', entityData: { text: 'Corrected.' } }] },
  async handle({ data, tenant }, { em }) {
    const organization = await lockOrganization(em, tenant, data.organizationId);
    const patches = data.activities.map(({ id, ...members }) => ({ id, members }));
    return {
      message: 'Activity(s) updated successfully.',
      items: await update(em, tenant, organization, patches),
    };
  },
});
