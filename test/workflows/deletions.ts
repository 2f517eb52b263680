import type { PersonalDataKind } from '../../domain/deletion/stores/personal-data-store.ts';
import type { TestClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import {
  activities,
  addActivityLogs,
  aDocument,
  anOrganization,
  aTenant,
  freshId,
  withActivityLogs,
  type TestDocument,
  type TestTenant,
} from '../support/factories.ts';
import type { TestApi } from '../support/api.ts';

export interface Receipt {
  readonly jobId: string;
  readonly organizationIds: readonly string[] | null;
  readonly users: readonly string[];
  readonly counts: Readonly<Record<PersonalDataKind, number>>;
  readonly unfinished: readonly PersonalDataKind[];
  readonly completedAt: number;
  readonly verifiedAt: number | null;
  readonly jws: string;
}

/** `data` of a response of `/v2/users/data/delete/status`. */
export interface DeletionStatus {
  readonly jobId: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed';
  readonly phase: 'fencing' | 'deleting' | 'verifying' | null;
  readonly tasksCount: number;
  readonly tasksLeft: number;
  readonly isDeleteCompleted: boolean;
  readonly lastTaskCompletedTime: number | null;
  readonly counts: Readonly<Record<PersonalDataKind, number>>;
  readonly verified: boolean;
  readonly receipt: Receipt | null;
  readonly dryRun: boolean;
  readonly createdAt: number;
  readonly completedAt: number | null;
  readonly late: boolean;
}

/** Requests a deletion. Returns the job's id. */
export async function deleteData(tenant: TestClient, data: object): Promise<string> {
  return (await tenant.ok<{ jobId: string }>('/v2/users/data/delete', data)).data.jobId;
}

export async function deletionOf(tenant: TestClient, jobId: string): Promise<DeletionStatus> {
  return (await tenant.ok<DeletionStatus>('/v2/users/data/delete/status', { jobId })).data;
}

/** Waits for the end of a deletion. Returns its status. */
export async function endedDeletion(tenant: TestClient, jobId: string): Promise<DeletionStatus> {
  return eventually(async () => {
    const status = await deletionOf(tenant, jobId);
    if (status.completedAt === null) throw new Error(`It is ${JSON.stringify(status)}`);
    return status;
  });
}

/** Enables every service and adds an endpoint, so that events are recorded. */
export async function aPreparedTenant(api: TestApi): Promise<TestTenant> {
  const made = await withActivityLogs(await aTenant(api));
  await made.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  await api.database.sql(
    `insert into webhook_endpoint (api_key_id, public_id, url) values ($1, 'ep' || $1::bigint, 'http://receiver.test')`,
    [made.id],
  );
  await api.database.sql(
    `insert into key_config (api_key_id, kind, config) values ($1, 'advancedwebhook', '{"isEnabled": true}')`,
    [made.id],
  );
  return made;
}

export interface TestPerson {
  readonly userId: string;
  readonly colleague: string;
  readonly location: TestDocument;
}

/** Creates a user with records of every kind in a new organization, and a colleague who stays. */
export async function aPerson(of: TestTenant): Promise<TestPerson> {
  const organization = await anOrganization(of);
  const location = await aDocument(of, { organizationId: organization });
  const userId = freshId('person');
  const colleague = freshId('colleague');
  const user = { userId, name: 'Ada Lovelace', email: `${userId}@example.com` };
  const users = [user, { userId: colleague, name: 'Grace' }];
  await of.ok('/v2/users/add', { organizationId: organization, users });
  await of.ok('/v2/users/add', { ...location, users });
  const resource = { type: 'document', id: location.documentId, organizationId: organization };
  await of.ok('/v2/auth/permissions/add', { user, permissions: { resources: [resource] } });
  const group = { organizationId: organization, organizationUserGroupId: freshId('group') };
  await of.ok('/v2/organizations/usergroups/add', {
    organizationId: organization,
    organizationUserGroups: [{ ...group, organizationId: undefined, groupName: 'Designers' }],
  });
  await of.ok('/v2/organizations/usergroups/users/add', { ...group, userIds: [userId, colleague] });
  await of.ok('/v2/notifications/config/set', {
    organizationId: organization,
    userIds: [userId],
    config: { inbox: 'MINE' },
  });
  const mention = { entityData: { assignee: user, mentions: { [userId]: user, [colleague]: {} } } };
  await addActivityLogs(of, location, [
    ...activities(3, { actionUser: user }),
    ...activities(2, { actionUser: { userId: colleague }, ...mention }),
    ...activities(4, { actionUser: { userId: colleague } }),
  ]);
  const notify = async (actionUser: object, notifyUsers: object[]) =>
    of.ok('/v2/notifications/add', {
      ...location,
      actionUser,
      displayHeadlineMessageTemplate: '{actionUser} wrote',
      displayBodyMessage: 'Something was written.',
      notifyUsers,
    });
  await notify(user, [{ userId: colleague }]);
  await notify({ userId: colleague }, [user, { userId: colleague }]);
  await of.ok('/v2/agents/execution/add', { agentId: 'agent', ...location, ranBy: user });
  await of.ok('/v2/crdt/add', {
    ...location,
    editorId: 'editor',
    type: 'text',
    data: 'x',
    lastUpdatedBy: userId,
  });
  return { userId, colleague, location };
}

/** Returns every row of a tenant that contains a text. */
export async function rowsWith({ database }: TestApi, of: TestTenant, text: string): Promise<string[]> {
  const tables = await database.sql<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'api_key_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not exists (select from pg_inherits where inhrelid = c.oid)
     order by c.relname`,
  );
  const selects = tables.map(
    ({ name }) =>
      `select '${name}: ' || t::text as line from "${name}" t where api_key_id = $1 and position($2 in t::text) > 0`,
  );
  const found = await database.sql<{ line: string }>(selects.join(' union all '), [of.id, text]);
  return found.map(({ line }) => line).sort();
}
