import { afterAll, describe, expect, it } from '@jest/globals';
import { executionRecords, containerExecutions } from '../../domain/agents/execution-records.ts';
import type { RecordCursor, RecordBatch } from '../../domain/documents/record-kind.ts';
import { inTransaction } from '../../platform/database/orm.ts';
import { startTestApi } from '../support/api.ts';
import { aDocument, aTenant, freshId } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

const idsOf = async (table: string, extId: string): Promise<string[]> =>
  (await api.database.sql<{ id: string }>(`select id from ${table} where ext_id = $1`, [extId])).map(
    ({ id }) => id,
  );

describe('a cascade over executions', () => {
  it('removes all of a document in batches, and none of another', async () => {
    const tenant = await aTenant(api);
    const location = await aDocument(tenant);
    const other = await aDocument(tenant, { organizationId: location.organizationId });
    await tenant.ok('/v2/agents/execution/add', { agentId: 'a', executionId: 'kept', ...other });
    const documents = await idsOf('document', location.documentId);
    await api.database.sql(
      `insert into agent_execution (api_key_id, org_id, document_id, ext_id, agent_id, status, started_at, body)
       select $1, d.org_id, d.id, 'x-' || n, 'a', 1, n / 2, '{}' from generate_series(1, 12000) n, document d where d.id = $2`,
      [tenant.id, documents[0]],
    );
    const recordsOfBatches = async (act: 'count' | 'remove'): Promise<number[]> => {
      const steps: number[] = [];
      let after: RecordCursor | null = null;
      do {
        const location: RecordCursor | null = after;
        const step: RecordBatch = await inTransaction(api.orm, async (em) =>
          executionRecords[act](em, { tenantId: tenant.id, documents, after: location }),
        );
        steps.push(step.records);
        after = step.last;
      } while (after !== null);
      return steps;
    };
    expect(await recordsOfBatches('count')).toEqual([12_000]);
    expect(await recordsOfBatches('remove')).toEqual([5_000, 5_000, 2_000]);
    expect(await recordsOfBatches('count')).toEqual([0]);
    expect((await tenant.ok('/v2/agents/execution/get', { executionId: 'kept' })).status).toBe('success');
  });

  it('removes all of an organization, also those without a document', async () => {
    const tenant = await aTenant(api);
    const { organizationId } = await aDocument(tenant);
    const other = await aDocument(tenant, { documentId: freshId('document') });
    await tenant.ok('/v2/agents/execution/add', { agentId: 'a', organizationId });
    await tenant.ok('/v2/agents/execution/add', { agentId: 'a', organizationId: other.organizationId });
    const ids = await idsOf('organization', organizationId);
    const remove = async (tenantId: string): Promise<number | undefined> =>
      inTransaction(api.orm, async (em) => containerExecutions.organizations?.(em, tenantId, ids));
    expect(await remove('0')).toBe(0);
    expect(await remove(tenant.id)).toBe(1);
    expect((await tenant.ok<{ total: number }>('/v2/agents/execution/count')).data.total).toBe(1);
  });
});

describe('an execution without an id', () => {
  it('gets an id although thousands of executions have the same agent and time', async () => {
    const tenant = await aTenant(api);
    const completedAt = 1_700_000_000_000;
    await api.database.sql(
      `insert into agent_execution (api_key_id, ext_id, agent_id, status, started_at, completed_at, body)
       select $1, 'exec_' || $2::bigint + n || '_a', 'a', 1, $2, $2, '{}' from generate_series(0, 4999) n`,
      [tenant.id, completedAt],
    );
    const { data } = await tenant.ok<{ id: string; startedAt: number }>('/v2/agents/execution/add', {
      agentId: 'a',
      status: 'passed',
      completedAt,
    });
    expect(data.startedAt).toBe(completedAt);
    expect(data.id).toMatch(/^exec_17\d{11}_a$/);
  });
});
