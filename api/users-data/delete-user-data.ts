import { z } from 'zod';
import { acceptDeletion } from '../../domain/deletion/accept-deletion.ts';
import { acceptedResponse } from '../http/response/accepted.ts';
import { succeeded } from '../http/response/data.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { ids } from '../schemas.ts';

export const deleteUserData = endpoint({
  paths: bothVersions('users/data/delete'),
  credentials: 'apiKey',
  mutates: true,
  audit: { action: 'user_data.delete', users: ({ data }) => data.userIds },
  summary:
    'Starts a job that deletes all data of users, in the given organizations or in every organization.',
  data: z.strictObject({
    userIds: ids(),
    organizationIds: ids().optional(),
    dryRun: z.boolean().default(false).meta({ description: 'Counts the data and deletes nothing.' }),
  }),
  response: acceptedResponse(
    z.strictObject({
      jobId: z.string(),
      tasksCount: z.int().meta({ description: 'The number of users times the number of kinds of data.' }),
    }),
  ),
  errors: [],
  example: { userIds: ['ada', 'grace'], organizationIds: ['acme'] },
  async handle({ data, tenant }, { em, startJob, audit }) {
    const { userIds, organizationIds, dryRun } = data;
    const deletion = await acceptDeletion(em, tenant, { userIds, organizationIds, dryRun });
    startJob(deletion);
    const { jobId, tasksCount } = deletion;
    audit.changed(null, { jobId, dryRun });
    return succeeded('Data deletion process has been initiated.', { jobId, tasksCount });
  },
});
