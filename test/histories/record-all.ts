import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { aDatabase, type TestDatabase } from '../support/database.ts';
import { aiProviders, inTurn, refusing, saying, type TestProviders } from '../support/ai-providers.ts';
import { operatorToken } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { aMailServer } from '../support/mail-server.ts';
import { startProcess } from '../support/processes.ts';
import { aNamespace } from '../support/temporal.ts';

/** The folder of this checkout, with a final slash. */
const root = fileURLToPath(new URL('../../', import.meta.url));

type Call = (path: string, data: object, signal?: AbortSignal) => Promise<Record<string, unknown>>;

function caller(url: string, headers: Readonly<Record<string, string>>): Call {
  return async (path, data, signal) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      ...(signal && { signal }),
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ data }),
    });
    const body = (await response.json()) as { result?: Record<string, unknown> };
    // Responses of status 202 have no envelope.
    const result = response.status === 202 ? body : body.result;
    if (result === undefined) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return result;
  };
}

async function aKey(url: string): Promise<Call> {
  const { data: workspace } = (await caller(url, { 'x-svc-operator-token': operatorToken })(
    '/v2/workspace/create',
    { ownerEmail: 'owner@example.com', name: 'Recorded' },
  )) as { data: Record<string, string> };
  const owner = {
    'x-svc-workspace-id': workspace['workspaceId'] ?? workspace['id'] ?? '',
    'x-svc-workspace-auth-token': workspace['authToken'] ?? '',
  };
  const { data: key } = (await caller(url, owner)('/v2/workspace/apikey/create', {
    ownerEmail: 'owner@example.com',
    type: 'testing',
  })) as { data: Record<string, string> };
  return caller(url, {
    'x-svc-api-key': key['apiKey'] ?? '',
    'x-svc-auth-token': key['authToken'] ?? '',
  });
}

/** Makes each workflow run. Returns the workflow ids by the name of the history. */
async function runAll(call: Call, database: TestDatabase): Promise<Record<string, string>> {
  const organizationId = 'recorded';
  const documents = ['moved', 'deleted', 'cancelled'].map((documentId) => ({ documentId }));
  await call('/v2/organizations/add', { organizations: [{ organizationId }] });
  await call('/v2/organizations/documents/add', { organizationId, documents });
  await database.sql(
    `insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, content_hash, body)
     select api_key_id, org_id, id, 'a' || n, n, 5, 'x', 0, '', '{}' from document, generate_series(1, 6000) n where ext_id = 'deleted'`,
  );
  const ended = async (jobId: unknown): Promise<string> =>
    eventually(
      async () => {
        const { data } = (await call('/v2/jobs/get', { jobId: jobId as string })) as {
          data: { completedAt: number | null; workflowId: string };
        };
        return data.completedAt !== null && data.workflowId;
      }
    );
  const migrate = async (documentId: string): Promise<unknown> => {
    const request = { organizationId, documentId, newDocumentId: `${documentId}-on` };
    const { data } = (await call('/v2/organizations/documents/migrate', request)) as {
      data: { migrationId: string };
    };
    return data.migrationId;
  };
  const removing = async (documentId: string): Promise<unknown> =>
    (await call('/v2/organizations/documents/delete', { organizationId, documentIds: [documentId] }))[
      'jobId'
    ];
  const completed = await ended(await migrate('moved'));
  const gone = await held(database, `select 1 from document where ext_id = 'cancelled' for key share`, () =>
    migrate('cancelled'),
  );
  // A row that is locked longer than one turn causes a second turn.
  const turns = await held(database, `select 1 from activity where ext_id = 'a5500' for update`, () =>
    removing('deleted'),
  );
  await call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  const { data: jobs } = (await call('/v2/jobs/list', { kind: 'webhook-provisioning' })) as {
    data: { jobId: string }[];
  };
  return {
    'provision-webhook-application': await ended(jobs[0]?.jobId),
    'migrate-document-completed-with-deprecated-patch': completed,
    'migrate-document-tried-again-with-deprecated-patch': await ended(gone),
    'work-on-job-two-turns': await ended(turns),
    'work-on-job-one-turn': await ended(await removing('moved-on')),
  };
}

/** An event for an endpoint that the SSRF guard blocks: two attempts fail, then the endpoint is deleted. */
async function deliverInVain(call: Call, database: TestDatabase): Promise<Record<string, string>> {
  await call('/v2/workspace/activityconfig/update', { activityServiceConfig: { isEnabled: true } });
  const { data: endpoint } = (await call('/v2/workspace/advancedwebhook/endpoints/create', {
    url: 'http://127.0.0.1:1/hook',
  })) as { data: { id: string } };
  await call('/v2/activities/add', {
    organizationId: 'recorded',
    documentId: 'told',
    createDocument: true,
    activities: [{ featureType: 'comment', actionType: 'comment.add', actionUser: { userId: 'u1' } }],
  });
  await eventually(async () => (await database.sql('select 1 from delivery where attempts = 2')).length > 0);
  await call('/v2/workspace/advancedwebhook/endpoints/delete', { endpointId: endpoint.id });
  const [key] = await database.sql<{ public_id: string }>('select public_id from api_key');
  return {
    'deliver-webhooks-failed-turns': `webhook-endpoint/${endpoint.id}`,
    'dispatch-webhooks-by-key': `webhook-dispatch/${key?.public_id ?? ''}`,
  };
}

/** A call that fails once and is retried, and a call whose caller disconnects. */
async function askModels(call: Call, client: Client, provider: TestProviders): Promise<Record<string, string>> {
  await call('/v2/workspace/apikeyconfig/update', {
    aiModelApiKey: [{ provider: 'openai', customerApiKey: 'sk-recorded' }],
  });
  const question = { model: 'gpt-4o', prompt: 'Make it friendlier.', text: 'Send me the plan.' };
  const found = async (): Promise<string[]> => {
    const ids: string[] = [];
    for await (const run of client.workflow.list({ query: `WorkflowType = 'askAi'` })) ids.push(run.workflowId);
    return ids;
  };
  provider.behave(inTurn(refusing(503, 'overloaded'), saying('Would you send me the plan?')));
  await call('/v2/rewriter/ask-ai', question);
  const [retried = ''] = await eventually(async () => ((await found()).length === 1 ? found() : false));
  provider.behave(() => undefined);
  const calling = new AbortController();
  const abandoned = call('/v2/rewriter/ask-ai', question, calling.signal);
  await eventually(() => provider.received.length === 1);
  calling.abort();
  await abandoned.catch(() => undefined);
  const others = await eventually(async () => {
    const ids = (await found()).filter((id) => id !== retried);
    return ids.length === 1 && ids;
  });
  return { 'ask-ai-tried-again': retried, 'ask-ai-given-up': others[0] ?? '' };
}

/** A notification to more members than one call notifies. */
async function notifyCrowd(call: Call): Promise<Record<string, string>> {
  const at = { organizationId: 'recorded', documentId: 'crowded' };
  await call('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  await call('/v2/organizations/documents/add', {
    organizationId: at.organizationId,
    documents: [{ documentId: at.documentId }],
  });
  for (const group of ['a', 'b']) {
    const users = Array.from({ length: 600 }, (_, number) => ({ userId: `${group}${String(number)}` }));
    await call('/v2/users/add', { ...at, users });
  }
  const { data: added } = (await call('/v2/notifications/add', {
    ...at,
    actionUser: { userId: 'a0' },
    displayHeadlineMessageTemplate: '{actionUser} wrote',
    displayBodyMessage: 'Hello.',
  })) as { data: { jobId: string } };
  const { data } = (await call('/v2/jobs/get', { jobId: added.jobId })) as { data: { workflowId: string } };
  return { 'notify-members': data.workflowId };
}

/** A dry run, a canceled deletion and a completed one of two turns. */
async function deletePeople(call: Call, database: TestDatabase): Promise<Record<string, string>> {
  await call('/v2/activities/add', {
    organizationId: 'recorded',
    documentId: 'told',
    activities: [{ featureType: 'comment', actionType: 'comment.add', actionUser: { userId: 'u2' } }],
  });
  const path = '/v2/users/data/delete';
  const requestDeletion = async (data: object): Promise<string> =>
    ((await call(path, data)) as { data: { jobId: string } }).data.jobId;
  const ended = async (jobId: string): Promise<string> => {
    await eventually(
      async () =>
        (await database.sql('select 1 from job where public_id = $1 and ended_at is not null', [jobId]))
          .length > 0
    );
    return `user-data-deletion/${jobId}`;
  };
  const dry = await ended(await requestDeletion({ userIds: ['u2'], dryRun: true }));
  const cancelled = await held(database, `select 1 from app_user where ext_id = 'u2' for key share`, async () => {
    const jobId = await requestDeletion({ userIds: ['u2'] });
    await eventually(
      async () => (await database.sql('select 1 from user_deletion where fenced_at is not null')).length > 0,
    );
    await call('/v2/jobs/cancel', { jobId });
    return jobId;
  });
  const lock = `select 1 from activity a join app_user u on u.id = a.actor_id where u.ext_id = 'u2' for update of a`;
  const deleted = await held(database, lock, () => requestDeletion({ userIds: ['u2'] }));
  return {
    'delete-user-data-dry-run-with-result': dry,
    'delete-user-data-cancelled-with-result': await ended(cancelled as string),
    'delete-user-data-two-turns-with-result': await ended(deleted as string),
  };
}

/** Two notifications with a delay: the second wakes the sender that sleeps until the first is due. */
async function sendDelayed(call: Call, database: TestDatabase): Promise<Record<string, string>> {
  await call('/v2/workspace/notificationconfig/update', {
    useNotificationService: true,
    notificationServiceConfig: { delayConfig: { isEnabled: true, delaySeconds: 10 } },
  });
  await call('/v2/workspace/emailconfig/update', { useEmailService: true });
  for (const documentId of ['told', 'moved']) {
    await call('/v2/notifications/add', {
      organizationId: 'recorded',
      documentId,
      createDocument: true,
      actionUser: { userId: 'u1' },
      displayHeadlineMessageTemplate: '{actionUser} wrote',
      displayBodyMessage: 'Hello.',
      notifyUsers: [{ userId: 'reader', email: 'reader@users.test' }],
    });
    await eventually(async () => (await database.sql('select 1 from notice')).length > 0);
  }
  await eventually(
    async () => (await database.sql('select 1 from delivery_log where status = 1')).length === 2,
  );
  const [key] = await database.sql<{ public_id: string }>('select public_id from api_key');
  return { 'send-notifications-delayed': `notification-send/${key?.public_id ?? ''}/email` };
}

/** Milliseconds: longer than a turn of a cascade, and than a flip's wait for its lock. */
const heldMs = 6_500;

async function held(database: TestDatabase, lock: string, act: () => Promise<unknown>): Promise<unknown> {
  const client = await database.connect();
  await client.query('begin');
  await client.query(lock);
  const acted = await act();
  await client.query(`select pg_sleep(${String(heldMs / 1_000)})`);
  await client.query('commit');
  return acted;
}

/** Runs every workflow with its own database and namespace. Returns the histories as JSON, by name. */
export async function recordAll(): Promise<Readonly<Record<string, string>>> {
  const temporal = await aNamespace();
  const database = await aDatabase();
  const provider = await aiProviders();
  const mail = await aMailServer();
  const worker = await startProcess('worker', database.url, {
    ...temporal,
    ...provider.environment,
    STEWARD_SMTP_URL: mail.url,
    STEWARD_MAIL_FROM: 'steward@mail.test',
  });
  const api = await startProcess('api', database.url, temporal);
  const connection = await Connection.connect({ address: temporal.TEMPORAL_ADDRESS });
  try {
    const client = new Client({ connection, namespace: temporal.TEMPORAL_NAMESPACE });
    const sweep = await eventually(async () => {
      for await (const run of client.workflow.list({ query: `WorkflowType = 'sweep'` })) {
        if (run.status.name === 'COMPLETED') return run.workflowId;
      }
      return false;
    });
    const call = await aKey(api.url);
    const runs = {
      'sweep-with-deprecated-patch': sweep,
      ...(await runAll(call, database)),
      ...(await deliverInVain(call, database)),
      ...(await askModels(call, client, provider)),
      ...(await deletePeople(call, database)),
      ...(await notifyCrowd(call)),
      ...(await sendDelayed(call, database)),
    };
    const histories: Record<string, string> = {};
    for (const [name, workflowId] of Object.entries(runs)) {
      const handle = client.workflow.getHandle(workflowId);
      await eventually(async () => (await handle.describe()).status.name !== 'RUNNING');
      const history: unknown = JSON.parse(historyToJSON(await handle.fetchHistory()));
      // Stack traces contain the folder of this checkout.
      histories[name] = `${JSON.stringify(history, undefined, 1).replaceAll(root, '/steward/')}\n`;
    }
    return histories;
  } finally {
    await connection.close();
    await Promise.all([api.stop(), worker.stop(), provider.close()]);
    await mail.close();
    await database.drop();
  }
}
