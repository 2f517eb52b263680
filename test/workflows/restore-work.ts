import pLimit from 'p-limit';
import { jobKindOf, type JobKindName } from '../../domain/job-handlers/job-kinds.ts';
import type { TestApi } from '../support/api.ts';
import type { TestDatabase } from '../support/database.ts';
import { aDocument, aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { aMailingTenant, notified } from '../support/senders.ts';
import { aListeningTenant } from '../support/webhooks.ts';
import { deleteData } from './deletions.ts';
import { migrate } from './migrations.ts';

/** Numbers of jobs by kind. */
export type JobCounts = Readonly<Partial<Record<JobKindName, number>>>;

const jobKeys = 10;
const concurrency = 10;

/** Of ten jobs. */
const kindsOfTen: readonly (keyof typeof requests)[] = [
  'document-migration',
  'user-data-deletion',
  'document-migration',
  'cascade',
  'document-migration',
  'user-data-deletion',
  'document-migration',
  'cascade',
  'document-migration',
  'webhook-provisioning',
];

/** Requests jobs of several kinds, of ten keys and one more per provisioning. Returns their numbers by kind. */
export async function openJobs(api: TestApi, jobs: number): Promise<JobCounts> {
  const limit = pLimit(concurrency);
  const tenants = await Promise.all(Array.from({ length: jobKeys }, async () => aTenant(api)));
  const counts: Partial<Record<JobKindName, number>> = {};
  await Promise.all(
    Array.from({ length: jobs }, async (_, at) =>
      limit(async () => {
        const kind = kindsOfTen[at % kindsOfTen.length] as (typeof kindsOfTen)[number];
        await requests[kind](tenants[Math.floor(at / kindsOfTen.length) % jobKeys] as TestTenant, api);
        counts[kind] = (counts[kind] ?? 0) + 1;
      }),
    ),
  );
  return counts;
}

const requests = {
  async 'document-migration'(tenant: TestTenant) {
    await migrate(tenant, await aDocument(tenant), freshId('moved'));
  },
  async 'user-data-deletion'(tenant: TestTenant) {
    const { organizationId } = await aDocument(tenant);
    const userId = freshId('person');
    await tenant.ok('/v2/users/add', { organizationId, users: [{ userId, name: 'Ada' }] });
    await deleteData(tenant, { userIds: [userId] });
  },
  async cascade(tenant: TestTenant) {
    const { organizationId } = await aDocument(tenant);
    await tenant.ok('/v2/organizations/delete', { organizationIds: [organizationId] });
  },
  async 'webhook-provisioning'(_tenant: TestTenant, api: TestApi) {
    await aListeningTenant(api);
  },
} as const;

/** Returns the numbers of jobs by kind in a status; `open` is pending or in progress. */
export async function jobCounts(database: TestDatabase, status: 'open' | 'completed'): Promise<JobCounts> {
  const rows = await database.sql<{ kind: number; count: number }>(
    `select kind, count(*)::int as count from job where status = any($1) group by kind`,
    [status === 'open' ? [0, 1] : [2]],
  );
  return Object.fromEntries(rows.map(({ kind, count }) => [jobKindOf(kind).name, count]));
}

/** Adds notifications whose e-mails are due. Returns their addresses. */
export async function dueEmails(api: TestApi, count: number): Promise<readonly string[]> {
  const tenant = await aMailingTenant(api);
  const addresses = Array.from({ length: count }, () => `${freshId('reader')}@users.test`);
  const limit = pLimit(concurrency);
  await Promise.all(
    addresses.map(async (email) =>
      limit(async () => notified(tenant, { notifyUsers: [{ userId: email, email }] })),
    ),
  );
  await api.database.sql('update notice set due_at = now() where api_key_id = $1', [tenant.id]);
  return addresses;
}
