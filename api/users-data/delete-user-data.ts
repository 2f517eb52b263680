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
  description:
    'Deletes memberships, grants, preferences, notifications and their deliveries, activity logs, comments, ' +
    'reactions, read marks, recordings and agent executions of the users. Removes them from groups, and from ' +
    'the mentions, recipients and free JSON of records that stay. Without `organizationIds` the users ' +
    'themselves are deleted too. Until the job ends, every write that names one of the users in these ' +
    'organizations fails with `FAILED_PRECONDITION`, `details.userIds` and `details.jobId`. The job completes ' +
    'only after a verification scan finds nothing, emits `user.data_deleted`, and issues a signed receipt that ' +
    'is kept for one year. A dry run counts, deletes nothing and blocks no writes. Unknown users and ' +
    'organizations are not errors. Send an `Idempotency-Key`, so that a retry returns the first `jobId`.',
  data: z.strictObject({
    userIds: ids().describe(
      'Ids of the users, max 1,000. Unknown users are accepted: nothing is found for them.',
    ),
    organizationIds: ids()
      .optional()
      .describe(
        'Organizations in which to delete the data, max 1,000. Absent: every organization, and the users ' +
          'themselves.',
      ),
    dryRun: z.boolean().default(false).meta({ description: 'Counts the data and deletes nothing.' }),
  }),
  response: acceptedResponse(
    z.strictObject({
      jobId: z.string().describe('Id of the job. Read its status with `/v2/users/data/delete/status`.'),
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
