import { tmpdir } from 'node:os';
import { workflowBundle } from '../../worker/workflow-bundle.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import type { TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { aNamespace } from '../support/temporal.ts';
import type { TestClient } from '../support/client.ts';
import type { TestDocument } from '../support/factories.ts';

/** What `/v2/organizations/documents/migrate/status` answers in `data`. */
export interface MigrationStatus {
  readonly migrationId: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed';
  readonly documentId: string;
  readonly newDocumentId: string;
  readonly acceptedAt: number;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  readonly counts: Readonly<Record<string, number>> | null;
  readonly verified: boolean | null;
  readonly error: string | null;
}

/** An API, and what it takes to start workers beside it; `temporal` are variables of the configuration. */
export interface Installation {
  readonly api: TestApi;
  readonly temporal: Readonly<Record<string, string>>;
  startWorker(environment?: Readonly<Record<string, string>>): Promise<TestProcess>;
  readonly close: () => Promise<void>;
}

let bundled: Promise<unknown> | undefined;

/** Servers of a test's own, in the place of those of the test run. */
export interface OwnServers {
  readonly database?: TestDatabase;
  /** Variables of the configuration. */
  readonly temporal?: Readonly<Record<string, string>>;
}

/** On a database and a Temporal namespace of its own, as yet without a worker. */
export async function anInstallation(own: OwnServers = {}): Promise<Installation> {
  // Else every worker of a file would bundle the workflows for itself, all at once.
  bundled ??= workflowBundle(tmpdir());
  await bundled;
  const temporal = own.temporal ?? (await aNamespace());
  const api = await startTestApi({
    ...(own.database !== undefined && { database: own.database }),
    environment: { ...temporal, TEMPORAL_UI_URL: 'http://temporal.test/' },
  });
  const workers: TestProcess[] = [];
  return {
    api,
    temporal,
    async startWorker(environment = {}) {
      const worker = await startProcess('worker', api.database.url, { ...temporal, ...environment });
      workers.push(worker);
      return worker;
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.stop()));
      await api.close();
    },
  };
}

/** Asks for the move; answers the migration's id. */
export async function migrate(
  tenant: TestClient,
  document: TestDocument,
  newDocumentId: string,
): Promise<string> {
  const { data } = await tenant.ok<{ migrationId: string }>('/v2/organizations/documents/migrate', {
    ...document,
    newDocumentId,
  });
  return data.migrationId;
}

export async function statusOf(
  tenant: TestClient,
  { organizationId }: { readonly organizationId: string },
  migrationId: string,
): Promise<MigrationStatus> {
  const { data } = await tenant.ok<MigrationStatus>('/v2/organizations/documents/migrate/status', {
    organizationId,
    migrationId,
  });
  return data;
}

/** The status once the migration has ended; of a completed one, once it has been verified too. */
export async function ended(
  tenant: TestClient,
  document: { readonly organizationId: string },
  migrationId: string,
): Promise<MigrationStatus> {
  return eventually(async () => {
    const status = await statusOf(tenant, document, migrationId);
    const over = status.status === 'failed' || (status.status === 'completed' && status.verified !== null);
    if (!over) throw new Error(`It is ${JSON.stringify(status)}`);
    return status;
  });
}

/** Ids of an organization's documents, in order. */
export async function documentIds(tenant: TestClient, organizationId: string): Promise<string[]> {
  const { data } = await tenant.ok<{ id: string }[]>('/v1/organizations/documents/get', { organizationId });
  return data.map(({ id }) => id);
}

/** Ids of the records of a document, in the order of their time. */
export async function activityIds(tenant: TestClient, document: TestDocument): Promise<string[]> {
  const found: string[] = [];
  let pageToken: string | undefined;
  do {
    const page: { data: { id: string }[]; nextPageToken?: string } = await tenant.ok<{ id: string }[]>(
      '/v2/activities/get',
      { ...document, order: 'asc', pageSize: 1_000, ...(pageToken !== undefined && { pageToken }) },
    );
    found.push(...page.data.map(({ id }) => id));
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return found;
}
