import { setTimeout as pause } from 'node:timers/promises';
import { oneOf } from '../../bench/random.ts';
import type { Ledger } from './ledger.ts';
import { organizationId, type SoakTenant } from './tenant.ts';

/** The work of one caller: related calls, and checks afterwards. */
export interface Scenario {
  readonly name: string;
  /** Share of the load, relative to the others. */
  readonly weight: number;
  readonly run: (context: ScenarioContext) => Promise<void>;
}

export interface ScenarioContext {
  readonly tenant: SoakTenant;
  readonly ledger: Ledger;
  readonly random: () => number;
  /** Prefix of ids, so that two callers never share one. */
  readonly nextId: () => string;
}

const batchSizes = [1, 1, 1, 10, 100] as const;
const pageSizes = [1, 10, 100, 1_000] as const;
/** Max pages that one list scenario reads. */
const maxPages = 20;
/** Milliseconds for a workflow to end: after a kill of its worker, it continues when a heartbeat is missed. */
const jobEndsWithinMs = 600_000;
const betweenPollsMs = 200;

const recordsOf = (context: ScenarioContext, count: number, userId: string) =>
  Array.from({ length: count }, () => ({
    id: context.nextId(),
    featureType: 'comment' as const,
    actionType: 'comment.add',
    actionUser: { userId },
    entityData: { words: 'x'.repeat(Math.floor(context.random() * 2_000)) },
  }));

/** Creates a document with records of one user. */
async function newDocument(
  context: ScenarioContext,
  userId: string,
): Promise<{ documentId: string; ids: string[] }> {
  const { client } = context.tenant;
  const documentId = `passing-${context.nextId()}`;
  const activities = recordsOf(context, 5, userId);
  await client.documents.add({ organizationId, documents: [{ documentId }] });
  await client.activities.add({ organizationId, documentId, activities });
  return { documentId, ids: activities.map(({ id }) => id) };
}

async function writeActivityLogs(context: ScenarioContext): Promise<void> {
  const { tenant, ledger, random } = context;
  const documentId = oneOf(tenant.documentIds, random);
  const activities = recordsOf(
    context,
    oneOf(batchSizes, random),
    `user-${String(Math.floor(random() * 50))}`,
  );
  await tenant.client.activities.add({ organizationId, documentId, activities });
  ledger.acknowledge(
    tenant.name,
    documentId,
    activities.map(({ id }) => id),
  );
}

async function readAcknowledged({ tenant, ledger, random }: ScenarioContext): Promise<void> {
  const documentId = oneOf(tenant.documentIds, random);
  const acknowledged = ledger.acknowledged(tenant.name, documentId);
  if (acknowledged.length === 0) return;
  const id = oneOf(acknowledged, random);
  const { data } = await tenant.client.activities.get({ organizationId, documentId, activityIds: [id] });
  ledger.check('an acknowledged activity is read by its id', data.length === 1, () => id);
}

async function listActivities({ tenant, ledger, random }: ScenarioContext): Promise<void> {
  const documentId = oneOf(tenant.documentIds, random);
  const pageSize = oneOf(pageSizes, random);
  const request = { organizationId, documentId, pageSize };
  const seen = new Set<string>();
  let [records, pages] = [0, 0];
  for await (const { data } of tenant.client.activities.get(request).pages()) {
    for (const { id } of data) seen.add(id);
    records += data.length;
    pages += 1;
    if (pages === maxPages) break;
  }
  ledger.check(
    'a list shows no record twice',
    seen.size === records,
    () => `${documentId}, ${String(pageSize)} a page`,
  );
}

async function listDocuments({ tenant, ledger, random }: ScenarioContext): Promise<void> {
  const request = { organizationId, documentIds: [...tenant.documentIds] };
  const { data } = await tenant.client.documents.get(request);
  ledger.check('lasting documents are listed', data.length === tenant.documentIds.length, () =>
    String(data.length),
  );
  const pageSize = oneOf(pageSizes, random);
  let pages = 0;
  for await (const _ of tenant.client.documents.get({ organizationId, pageSize }).pages()) {
    pages += 1;
    if (pages === maxPages) break;
  }
}

async function checkPermission(context: ScenarioContext): Promise<void> {
  const { tenant, ledger, random } = context;
  const documentId = oneOf(tenant.documentIds, random);
  const userId = `member-${context.nextId()}`;
  const resource = { type: 'document' as const, id: documentId, organizationId };
  const grant = {
    user: { userId },
    permissions: { resources: [{ ...resource, accessRole: 'viewer' as const }] },
  };
  await tenant.client.auth.permissions.add(grant);
  const { data } = await tenant.client.auth.permissions.check({ userId, resources: [resource] });
  const [found] = data;
  ledger.check('a granted role decides the next check', found?.accessRole === 'viewer', () =>
    String(found?.accessRole),
  );
}

async function addUser(context: ScenarioContext): Promise<void> {
  const { tenant, ledger } = context;
  const userId = `member-${context.nextId()}`;
  await tenant.client.users.add({ organizationId, users: [{ userId, name: 'Ada' }] });
  const { data } = await tenant.client.users.get({ organizationId, userIds: [userId] });
  ledger.check('an added user is read', data.length === 1, () => userId);
}

async function notify(context: ScenarioContext): Promise<void> {
  const { tenant, ledger, random } = context;
  const documentId = oneOf(tenant.documentIds, random);
  const notificationId = `notification-${context.nextId()}`;
  const notification = {
    organizationId,
    documentId,
    notificationId,
    actionUser: { userId: 'user-1', name: 'Ada' },
    displayHeadlineMessageTemplate: '{actionUser} wrote',
    displayBodyMessage: 'Ada wrote.',
    notifyUsers: [{ userId: 'user-2' }],
  };
  await tenant.client.notifications.add(notification);
  const request = { organizationId, documentId, notificationIds: [notificationId] };
  const { data } = await tenant.client.notifications.get(request);
  ledger.check('an added notification is read', data.length === 1, () => notificationId);
}

async function writeCrdt(context: ScenarioContext): Promise<void> {
  const { tenant, ledger, random } = context;
  const documentId = oneOf(tenant.documentIds, random);
  const editorId = `editor-${context.nextId()}`;
  const title = `Plan ${String(random())}`;
  const record = { organizationId, documentId, editorId, type: 'map' as const, data: { title } };
  await tenant.client.crdt.add(record);
  const { data } = await tenant.client.crdt.get({ organizationId, documentId, editorId });
  ledger.check('collaborative data is read as written', JSON.stringify(data).includes(title), () => editorId);
}

async function migrateDocument(context: ScenarioContext): Promise<void> {
  const { tenant, ledger } = context;
  const { documentId, ids } = await newDocument(context, 'user-1');
  const newDocumentId = `moved-${context.nextId()}`;
  const { data } = await tenant.client.documents.migrate({ organizationId, documentId, newDocumentId });
  const status = await jobEnd(context, 'a migration ends', data.migrationId);
  if (status === undefined) return;
  ledger.check('a migration completes', status === 'completed', () => `${documentId}: ${status}`);
  const request = { organizationId, documentId: newDocumentId };
  const { data: moved } = await tenant.client.activities.get(request);
  const same = moved.length === ids.length && moved.every(({ id }) => ids.includes(id));
  ledger.check('a migrated document has its records, each once', same, () => newDocumentId);
}

async function deletePerson(context: ScenarioContext): Promise<void> {
  const { tenant, ledger } = context;
  const userId = `leaver-${context.nextId()}`;
  const { documentId } = await newDocument(context, userId);
  const accepted = await tenant.client.users.data.delete({ userIds: [userId] });
  const status = await jobEnd(context, 'a deletion ends', accepted.data.jobId);
  if (status === undefined) return;
  ledger.check('a deletion completes', status === 'completed', () => `${userId}: ${status}`);
  const { data } = await tenant.client.activities.get({ organizationId, documentId });
  ledger.check('a deleted user is in no record', !JSON.stringify(data).includes(userId), () => documentId);
}

async function deleteDocument(context: ScenarioContext): Promise<void> {
  const { tenant, ledger } = context;
  const { documentId } = await newDocument(context, 'user-1');
  await tenant.client.documents.delete({ organizationId, documentIds: [documentId] });
  const request = { organizationId, documentIds: [documentId] };
  const { data } = await tenant.client.documents.get(request);
  ledger.check('a deleted document is not listed', data.length === 0, () => documentId);
}

async function askAi({ tenant, ledger }: ScenarioContext): Promise<void> {
  const request = { model: 'gpt-4o', prompt: 'Make it friendlier.', text: 'Send me the plan.' };
  const result = await tenant.client.rewriter.askAi(request);
  // A caller waits at most 60 s. A missed heartbeat detects a killed worker.
  const rewritten = result.success ? result.text === 'Rewritten.' : result.code === 'timeout';
  ledger.check('a rewritten text is the one of the provider', rewritten, () => JSON.stringify(result));
}

/** Returns the status of an ended job. Returns undefined and records a violation when it did not end in time. */
async function jobEnd(
  { tenant, ledger }: ScenarioContext,
  sentence: string,
  jobId: string,
): Promise<string | undefined> {
  const until = Date.now() + jobEndsWithinMs;
  for (;;) {
    const { data } = await tenant.client.jobs.get({ jobId });
    const ended = data.status !== 'pending' && data.status !== 'in_progress';
    if (ended || Date.now() > until) {
      ledger.check(`${sentence} within 10 minutes`, ended, () => jobId);
      return ended ? data.status : undefined;
    }
    await pause(betweenPollsMs);
  }
}

export const scenarios: readonly Scenario[] = [
  { name: 'write activities', weight: 30, run: writeActivityLogs },
  { name: 'read by id', weight: 20, run: readAcknowledged },
  { name: 'list activities', weight: 10, run: listActivities },
  { name: 'list documents', weight: 5, run: listDocuments },
  { name: 'grant and check a permission', weight: 10, run: checkPermission },
  { name: 'add and read a user', weight: 5, run: addUser },
  { name: 'add and read a notification', weight: 5, run: notify },
  { name: 'write and read collaborative data', weight: 5, run: writeCrdt },
  { name: 'migrate a document', weight: 3, run: migrateDocument },
  { name: 'delete a user’s data', weight: 3, run: deletePerson },
  { name: 'delete a document', weight: 2, run: deleteDocument },
  { name: 'ask an AI model', weight: 2, run: askAi },
];
