import { tmpdir } from 'node:os';
import { workflowBundle } from '../../worker/workflow-bundle.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import type { TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { aNamespace } from '../support/temporal.ts';
import type { TestClient } from '../support/client.ts';
import type { TestDocument } from '../support/factories.ts';

/** `data` of a response of `/v2/organizations/documents/migrate/status`. */
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

/** An API and a function that starts workers. `temporal` contains environment variables. */
export interface Installation {
  readonly api: TestApi;
  readonly temporal: Readonly<Record<string, string>>;
  startWorker(environment?: Readonly<Record<string, string>>): Promise<TestProcess>;
  readonly close: () => Promise<void>;
}

let bundled: Promise<unknown> | undefined;

/** Servers of one test, which replace those of the test run. */
export interface OwnServers {
  readonly database?: TestDatabase;
  /** Environment variables. */
  readonly temporal?: Readonly<Record<string, string>>;
  /** Environment variables of the API. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Creates an installation with its own database and Temporal namespace, without a worker. */
export async function anInstallation(own: OwnServers = {}): Promise<Installation> {
  // Otherwise all workers of a file would bundle the workflows concurrently.
  bundled ??= workflowBundle(tmpdir());
  await bundled;
  const temporal = own.temporal ?? (await aNamespace());
  const api = await startTestApi({
    ...(own.database !== undefined && { database: own.database }),
    environment: { ...temporal, TEMPORAL_UI_URL: 'http://temporal.test/', ...own.environment },
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

/** Requests a migration. Returns its id. */
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

/** Waits until the migration has failed, or is completed and verified. Returns its status. */
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

/** Returns the ids of an organization's documents in order. */
export async function documentIds(tenant: TestClient, organizationId: string): Promise<string[]> {
  const { data } = await tenant.ok<{ id: string }[]>('/v1/organizations/documents/get', { organizationId });
  return data.map(({ id }) => id);
}

/** Returns the ids of a document's activity logs in the order of their time. */
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
