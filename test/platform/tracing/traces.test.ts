import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aCollector, type CollectedSpan, type Collector } from '../../support/collector.ts';
import { eventually } from '../../support/eventually.ts';
import {
  activities,
  addActivityLogs,
  aDocument,
  aTenant,
  calledThrough,
  freshId,
  withActivityLogs,
  type TestTenant,
} from '../../support/factories.ts';
import { startProcess, type TestProcess } from '../../support/processes.ts';
import { aReceiver, responding, type Receiver } from '../../support/receiver.ts';
import { anEndpoint } from '../../support/webhooks.ts';
import { anInstallation, ended, migrate, type Installation } from '../../workflows/migrations.ts';

let installation: Installation;
let collector: Collector;
let receiver: Receiver;
let api: TestProcess;
let tenant: TestTenant;

beforeAll(async () => {
  installation = await anInstallation();
  [collector, receiver] = await Promise.all([aCollector(), aReceiver()]);
  receiver.behave(responding(200));
  const environment = {
    ...installation.temporal,
    ...collector.environment,
    STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  api = await startProcess('api', installation.api.database.url, environment);
  await installation.startWorker(environment);
  tenant = calledThrough(api, await aTenant(installation.api));
});
afterAll(async () => {
  await api.stop();
  await installation.close();
  await Promise.all([collector.close(), receiver.close()]);
});

/** Trace context of a caller. */
const aTraceId = (): string => freshId('').replaceAll('-', '');
const callersSpan = 'b7ad6b7169203331';
const traceparent = (traceId: string): string => `00-${traceId}-${callersSpan}-01`;

const inTrace = (traceId: string): readonly CollectedSpan[] =>
  collector.spans.filter((span) => span.traceId === traceId);

/** Names of a span and its ancestors, from the root of this deployment down. */
function pathTo(span: CollectedSpan | undefined): string[] {
  if (span === undefined) return [];
  const parent = collector.spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...pathTo(parent), span.name];
}

const paths = (traceId: string): string[] => inTrace(traceId).map((span) => pathTo(span).join(' > '));

/**
 * Repeats `act` with new traces until it passes: on a busy machine the sweep may start a workflow, outside of the
 * trace.
 */
async function inSomeTrace(act: (traceId: string) => Promise<() => void>): Promise<void> {
  await eventually(async () => {
    const check = await act(aTraceId());
    await eventually(check, { within: 10_000 });
  });
}

/** A tenant whose events go to the receiver. */
async function aTenantWithEndpoint(): Promise<TestTenant> {
  const own = await withActivityLogs(calledThrough(api, await aTenant(installation.api)));
  await own.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await anEndpoint(installation.api, own, `${receiver.url}/hook?token=query-secret`);
  return own;
}

describe('the trace of a call', () => {
  it('continues the trace of the caller to statements, workflow, activities and their statements', async () => {
    await inSomeTrace(async (traceId) => {
      const document = await aDocument(tenant);
      const caller = { ...tenant, ...tenant.with({ traceparent: traceparent(traceId) }) };
      const jobId = await migrate(caller, document, freshId('moved'));
      await ended(tenant, document, jobId);
      const operation = 'POST /v2/organizations/documents/migrate';
      const expected = [
        operation,
        `${operation} > insert`,
        `${operation} > commit`,
        `${operation} > RunWorkflow:migrateDocument`,
        `${operation} > RunWorkflow:migrateDocument > RunActivity:flipDocumentId`,
        `${operation} > RunWorkflow:migrateDocument > RunActivity:flipDocumentId > update`,
      ];
      return () => {
        expect(paths(traceId)).toEqual(expect.arrayContaining(expected));
        expect(inTrace(traceId).find(({ name }) => name === operation)?.parentSpanId).toBe(callersSpan);
      };
    });
  });

  it('includes the webhook of each event, which gets its traceparent, also when calls share transactions', async () => {
    const own = await aTenantWithEndpoint();
    const documents = await Promise.all([aDocument(own), aDocument(own)]);
    const traceIds = Array.from({ length: 20 }, aTraceId);
    await Promise.all(
      traceIds.map(async (traceId, index) => {
        const caller = { ...own, ...own.with({ traceparent: traceparent(traceId) }) };
        await addActivityLogs(caller, documents[index % 2] as (typeof documents)[number], activities(1));
      }),
    );
    await eventually(() => {
      for (const traceId of traceIds) {
        expect(paths(traceId)).toContain('POST /v2/activities/add > send webhook > POST');
        const received = receiver.delivered.filter(({ headers }) =>
          headers['traceparent']?.includes(traceId),
        );
        expect(received).toHaveLength(1);
      }
    });
    // A turn's own span ends after those of its messages.
    await eventually(() => {
      const ofName = (name: string): readonly CollectedSpan[] =>
        collector.spans.filter((span) => span.name === name);
      const turns = new Set(ofName('RunActivity:deliverMessages').map(({ spanId }) => spanId));
      const linked = ofName('send webhook').map(({ links = [] }) => links.map(({ spanId }) => spanId));
      expect(linked.filter(([turn, ...more]) => more.length > 0 || !turns.has(turn ?? ''))).toEqual([]);
    });
  });

  it('is not stored with an event by an API without tracing', async () => {
    const own = await withActivityLogs(await aTenant(installation.api));
    await anEndpoint(installation.api, own, `${receiver.url}/hook`);
    await own.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    const logs = activities(1);
    await own.with({ traceparent: traceparent(aTraceId()) }).ok('/v2/activities/add', {
      ...(await aDocument(own)),
      activities: logs,
    });
    const stored = await installation.api.database.sql(
      'select traceparent from event where api_key_id = $1',
      [own.id],
    );
    expect(stored).toEqual([{ traceparent: null }]);
  });

  it('is new for a caller without a valid traceparent', async () => {
    const invalid = traceparent('0'.repeat(32));
    const requestId = freshId('request');
    await tenant.with({ traceparent: invalid, 'x-request-id': requestId }).ok('/v2/jobs/list');
    const span = await eventually(
      () => collector.spans.find(({ attributes }) => JSON.stringify(attributes).includes(requestId)) ?? false,
    );
    expect(span.name).toBe('POST /v2/jobs/list');
    expect(span.parentSpanId ?? '').toBe('');
    expect(span.traceId).toMatch(/^(?!0+$)[0-9a-f]{32}$/);
  });

  it('is named in its access line', async () => {
    const traceId = aTraceId();
    await tenant.with({ traceparent: traceparent(traceId) }).ok('/v2/jobs/list');
    const line = await eventually(() => api.log.find((logged) => logged.includes(traceId)) ?? false);
    expect(JSON.parse(line)).toMatchObject({ msg: 'request', operation: '/v2/jobs/list', traceId });
  });

  it('contains no secrets, users, content or URLs', async () => {
    const traceId = aTraceId();
    const document = await aDocument(tenant);
    const { organizationId, documentId } = document;
    const userId = freshId('user');
    const caller = { ...tenant, ...tenant.with({ traceparent: traceparent(traceId) }) };
    await caller.ok('/v2/users/data/delete', { userIds: [userId] });
    const jobId = await migrate(caller, document, freshId('moved'));
    await ended(tenant, document, jobId);
    await eventually(() => expect(paths(traceId)).toContain('POST /v2/organizations/documents/migrate'));
    const sent = collector.bodies.join('\n');
    const kept = [
      tenant.apiKey,
      tenant.authToken,
      organizationId,
      documentId,
      userId,
      'query-secret',
      '/hook',
    ];
    expect(kept.filter((text) => sent.includes(text))).toEqual([]);
  });
});

describe('a collector that does not respond', () => {
  it('causes one log line and fails no request', async () => {
    const away = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    };
    const other = await startProcess('api', installation.api.database.url, away);
    const asking = calledThrough(other, tenant);
    const failures = (): string[] => other.log.filter((line) => line.includes('"tracing failed"'));
    await eventually(async () => {
      await asking.ok('/v2/jobs/list');
      return failures().length > 0;
    });
    expect(await other.stop()).toBe(0);
    expect(failures()).toHaveLength(1);
  });
});
