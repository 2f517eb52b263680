import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { mkdtemp, rm } from 'node:fs/promises';
import { migrateDatabase } from '../../platform/database/migrate.ts';
import { removeCluster } from '../../local/postgres-cluster.ts';
import { startPostgres } from '../../local/postgres.ts';
import { waitUntilGone } from '../../local/processes.ts';
import { workflowBundle } from '../../worker/workflow-bundle.ts';
import { aClient, type TestClient } from '../support/client.ts';
import { operatorToken } from '../support/environment.ts';
import { killed, startProcess, type TestProcess } from '../support/processes.ts';
import { aNamespace } from '../support/temporal.ts';

/* Servers that can be killed individually, and a receiver that records webhooks. */

/** The processes that a test kills. */
export type Victim = 'worker' | 'api' | 'postgres';

export interface Kill {
  readonly victim: Victim;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface Battlefield {
  /** Every kill so far. */
  readonly kills: readonly Kill[];
  /** A client of the running API. A call may fail while the API is down. */
  client(headers: Readonly<Record<string, string>>): TestClient;
  /** Kills the process with -9 and restarts it. Resolves when it is ready. */
  strike(victim: Victim): Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts PostgreSQL with default durability, an API and a worker. */
export async function aBattlefield(retrySchedule: string): Promise<Battlefield> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-chaos-'));
  const directory = join(folder, 'postgres');
  const options = { directory, database: 'steward', durable: true, onProgress: () => undefined };
  let postgres = await startPostgres(options);
  const programs: Partial<Record<'api' | 'worker', TestProcess>> = {};
  const close = async (): Promise<void> => {
    await killed(...Object.values(programs));
    await postgres.stop();
    await removeCluster(directory);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [temporal] = await Promise.all([
      aNamespace(),
      migrateDatabase(postgres.url),
      workflowBundle(tmpdir()),
    ]);
    const environment = {
      ...temporal,
      DATABASE_POOL_SIZE: '10',
      LOG_LEVEL: 'info',
      STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
      STEWARD_WEBHOOK_RETRY_SCHEDULE: retrySchedule,
    };
    const start = async (program: 'api' | 'worker'): Promise<void> => {
      programs[program] = await startProcess(program, postgres.url, environment);
    };
    await start('api');
    await start('worker');
    const kills: Kill[] = [];
    return {
      kills,
      client: (headers) => aClient(programs.api?.url ?? '', headers),
      async strike(victim) {
        kills.push({ victim, at: Date.now() });
        if (victim === 'postgres') {
          process.kill(postgres.pid, 'SIGKILL');
          await waitUntilGone(postgres.process, 10_000);
          postgres = await startPostgres(options);
        } else {
          const { [victim]: program } = programs;
          if (program !== undefined) await killed(program);
          await start(victim);
        }
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Creates a key with activity logs and webhooks on and one endpoint, only over HTTP. */
export async function aWebhookTenant(
  field: Battlefield,
  url: string,
): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly secret: string }> {
  const operator = field.client({ 'x-svc-operator-token': operatorToken });
  const ownerEmail = 'owner@example.com';
  const { data: made } = await operator.ok<{ id: string; authToken: string }>('/v2/workspace/create', {
    ownerEmail,
  });
  const workspace = field.client({
    'x-svc-workspace-id': made.id,
    'x-svc-workspace-auth-token': made.authToken,
  });
  const { data: key } = await workspace.ok<{ apiKey: string; authToken: string }>(
    '/v2/workspace/apikey/create',
    {
      ownerEmail,
      type: 'testing',
    },
  );
  const headers = { 'x-svc-api-key': key.apiKey, 'x-svc-auth-token': key.authToken };
  const tenant = field.client(headers);
  await tenant.ok('/v2/workspace/activityconfig/update', { activityServiceConfig: { isEnabled: true } });
  await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  const { data: endpoint } = await tenant.ok<{ id: string }>(
    '/v2/workspace/advancedwebhook/endpoints/create',
    { url },
  );
  const { data: secret } = await tenant.ok<{ secret: string }>(
    '/v2/workspace/advancedwebhook/endpoints/secret/get',
    {
      endpointId: endpoint.id,
    },
  );
  return { headers, secret: secret.secret };
}

/** A received webhook. */
export interface Delivered {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The fields of an activity log in a webhook body. */
export interface EventBody {
  readonly event: string;
  readonly webhookId: string;
  readonly sequence: number;
  readonly data: { readonly id: string; readonly actionType: string };
}

export const bodyOf = ({ body }: Pick<Delivered, 'body'>): EventBody => JSON.parse(body) as EventBody;

/** Accepts and stores every webhook. */
export interface WebhookReceiver {
  readonly url: string;
  readonly delivered: readonly Delivered[];
  /** Ids of the received activity logs. */
  readonly records: ReadonlySet<string>;
  /** The highest sequence so far. */
  readonly highest: number;
  readonly close: () => Promise<void>;
}

export async function aWebhookReceiver(): Promise<WebhookReceiver> {
  const delivered: Delivered[] = [];
  const records = new Set<string>();
  let highest = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      delivered.push({ headers: request.headers, body, at: Date.now() });
      const { sequence, data } = bodyOf({ body });
      records.add(data.id);
      highest = Math.max(highest, sequence);
      response.end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`,
    delivered,
    records,
    get highest() {
      return highest;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** Whether the only signature is valid for the body and the secret. */
export function isSigned({ headers, body }: Delivered, secret: string): boolean {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

export interface Writing {
  readonly events: number;
  readonly batch: number;
  readonly callers: number;
  /** Called after each call with the number of acknowledged logs. */
  readonly onProgress: (acknowledged: number) => void;
  /** Aborts writing. */
  readonly signal: AbortSignal;
}

/** Writes activity logs until that many are acknowledged. Returns the acknowledged ids. */
export async function writeEvents(
  field: Battlefield,
  headers: Readonly<Record<string, string>>,
  { events, batch, callers, onProgress, signal }: Writing,
): Promise<ReadonlySet<string>> {
  const acknowledged = new Set<string>();
  let calls = 0;
  const caller = async (): Promise<void> => {
    while (acknowledged.size < events && !signal.aborted) {
      calls += 1;
      const call = calls;
      const activities = Array.from({ length: batch }, (_, n) => ({
        id: `activity-${String(call)}-${String(n)}`,
        featureType: 'comment',
        actionType: 'comment.add',
        actionUser: { userId: 'ada' },
        entityData: { call, n },
      }));
      const ids = activities.map(({ id }) => id);
      const data = { organizationId: 'acme', documentId: 'plan', activities, ...creating };
      const response = await field
        .client(headers)
        .call('/v2/activities/add', data)
        .catch(() => undefined);
      if (response?.status === 200) {
        for (const id of ids) acknowledged.add(id);
        onProgress(acknowledged.size);
      } else await pause(20);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return acknowledged;
}

const creating = { createOrganization: true, createDocument: true };
