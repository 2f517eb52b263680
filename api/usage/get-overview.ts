import { z } from 'zod';
import { countJobs, maxCountedJobs } from '../../domain/jobs/count-jobs.ts';
import { namesOf } from '../../domain/names-of.ts';
import {
  maxCountedDeliveries,
  readChannelBacklog,
  type ChannelBacklog,
} from '../../domain/notices/read-channel-backlog.ts';
import { heldReasons } from '../../domain/notices/statuses.ts';
import { endpoint } from '../http/endpoint.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { milliseconds } from '../schemas.ts';

const open = `Among the oldest ${maxCountedJobs.toLocaleString('en')} jobs that have not ended.`;
const count = z.int().min(0);

const backlog = z
  .strictObject({
    waiting: count.describe(
      `Deliveries that have not ended, max ${maxCountedDeliveries.toLocaleString('en')}.`,
    ),
    heldReason: z
      .enum(namesOf(heldReasons))
      .nullable()
      .describe('Why the channel is held; null while it sends.'),
    heldSince: milliseconds
      .nullable()
      .describe('When the channel was held, in milliseconds since the epoch; null while it sends.'),
  })
  .meta({ id: 'ChannelBacklog' });

export const getOverview = endpoint({
  paths: ['/v2/overview/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Counts the jobs, open deletions and waiting deliveries of the API key.',
  description:
    'Counts are bounded, so that a large backlog does not slow the call: each field names its limit. A ' +
    'deletion of user data is late 12 hours after it was accepted.',
  data: z.strictObject({}),
  response: dataResponse(
    z
      .strictObject({
        jobs: z
          .strictObject({
            pending: count.describe(`Jobs that no worker has started. ${open}`),
            inProgress: count.describe(`Jobs that run. ${open}`),
            failed: count.describe(
              `Jobs that failed, among the newest ${maxCountedJobs.toLocaleString('en')} jobs.`,
            ),
          })
          .describe('Jobs by status.'),
        deletions: z
          .strictObject({
            open: count.describe(`Deletions of user data that have not ended. ${open}`),
            late: count.describe(`Open deletions that were accepted more than 12 hours ago. ${open}`),
            oldestAcceptedAt: milliseconds
              .nullable()
              .describe(
                'When the oldest was accepted, in milliseconds since the epoch; null when there is none.',
              ),
          })
          .describe('Deletions of user data.'),
        deliveries: z
          .strictObject({
            email: backlog.describe('Deliveries by e-mail.'),
            slack: backlog.describe('Deliveries by Slack.'),
          })
          .describe('Deliveries of notifications that wait, by channel.'),
      })
      .meta({ id: 'Overview' }),
  ),
  errors: [],
  example: {},
  async handle({ tenant }, { em }) {
    const jobs = await countJobs(em, tenant);
    const channels = await readChannelBacklog(em, tenant);
    return succeeded('Overview retrieved successfully.', {
      jobs: { pending: jobs.pending, inProgress: jobs.in_progress, failed: jobs.failed },
      deletions: {
        open: jobs.deletions,
        late: jobs.late,
        oldestAcceptedAt: jobs.oldest_deletion?.getTime() ?? null,
      },
      deliveries: { email: viewOf(channels, 'email'), slack: viewOf(channels, 'slack') },
    });
  },
});

function viewOf(
  channels: readonly ChannelBacklog[],
  name: ChannelBacklog['channel'],
): z.input<typeof backlog> {
  const found = channels.find(({ channel }) => channel === name);
  return {
    waiting: found?.waiting ?? 0,
    heldReason: found?.heldReason ?? null,
    heldSince: found?.heldSince?.getTime() ?? null,
  };
}
