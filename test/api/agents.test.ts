import { beforeEach, describe, expect, it } from '@jest/globals';
import { issuesOf } from '../support/client.ts';
import { aDocument, aTenant, freshId } from '../support/factories.ts';
import { documentScene } from '../support/document-scene.ts';

const scene = await documentScene({ tenantPerTest: true });
const { api } = scene;

interface Execution {
  readonly id: string;
  readonly startedAt: number;
  readonly completedAt: number | null;
  readonly [member: string]: unknown;
}

const path = (act: string): string => `/v2/agents/execution/${act}`;

const add = async (members: object = {}): Promise<Execution> =>
  (await scene.tenant.ok<Execution>(path('add'), { agentId: 'agent', ...members })).data;

const get = async (executionId: string, more: object = {}): Promise<Execution> =>
  (await scene.tenant.ok<Execution>(path('get'), { executionId, ...more })).data;

const refusedAdd = async (members: object) =>
  scene.tenant.refused(path('add'), { agentId: 'agent', ...members });

const countedRows = async (): Promise<number> =>
  (await api.database.sql('select 1 from agent_execution where api_key_id = $1', [scene.tenant.id])).length;

describe('the user who started an execution', () => {
  it('keeps unknown members, of at most 16 KiB', async () => {
    const ranBy = { userId: 'u1', photoUrl: 'https://users.example/u1.png', team: { color: 'blue' } };
    const { id } = await add({ ranBy });
    expect((await get(id))['ranBy']).toEqual(ranBy);
    const refusal = await refusedAdd({ ranBy: { userId: 'u1', team: 'x'.repeat(16_384) } });
    expect(refusal.message).toBe('ranBy must be at most 16 KiB.');
  });
});

describe('adding an execution', () => {
  it('returns every member, with defaults for those not sent', async () => {
    const before = Date.now();
    const { message, data } = await scene.tenant.ok<Execution>(path('add'), { agentId: 'summarizer' });
    expect(message).toBe('Execution added successfully');
    expect(data).toEqual({
      id: `exec_${String(data.startedAt)}_summarizer`,
      agentId: 'summarizer',
      agentName: 'summarizer',
      agentVersion: 1,
      status: 'running',
      message: 'Execution in progress',
      startedAt: expect.any(Number),
      completedAt: null,
      durationMs: null,
      trigger: 'standalone',
      organizationId: null,
      documentId: null,
      workflowExecutionId: null,
      url: null,
      ranBy: null,
    });
    expect(data.startedAt).toBeGreaterThanOrEqual(before);
    expect(await get(data.id)).toEqual(data);
  });

  it('keeps everything that was sent', async () => {
    const sent = {
      executionId: 'run-1',
      agentName: 'Summariser',
      agentVersion: 7,
      ...scene.document,
      status: 'passed',
      message: 'Done.',
      startedAt: 1_000,
      completedAt: 4_500,
      trigger: 'workflow',
      workflowExecutionId: 'w-1',
      url: 'https://agents.example.com/run-1',
      ranBy: { userId: 'ada', name: 'Ada', email: 'ada@example.com' },
    };
    const { executionId, ...rest } = sent;
    const added = await add({ ...sent, results: { found: [1, 2] } });
    expect(added).toEqual({ id: executionId, agentId: 'agent', durationMs: 3_500, ...rest });
    expect(await get('run-1')).toEqual(added);
    expect(await get('run-1', { includeResults: true })).toEqual({ ...added, results: { found: [1, 2] } });
    const users = await api.database.sql('select 1 from app_user where api_key_id = $1 and ext_id = $2', [
      scene.tenant.id,
      'ada',
    ]);
    expect(users).toHaveLength(1);
  });

  it('in a final state ends at once, with an empty message', async () => {
    const added = await add({ status: 'failed' });
    expect(added).toMatchObject({ status: 'failed', message: '' });
    expect(added.completedAt).toBeGreaterThanOrEqual(added.startedAt);
    expect((await add({ status: 'error', completedAt: 5 })).startedAt).toBe(5);
  });

  it('generates distinct ids for concurrent calls', async () => {
    const added = await Promise.all(Array.from({ length: 20 }, async () => add()));
    expect(new Set(added.map(({ id }) => id)).size).toBe(20);
    const long = await add({ agentId: 'ü'.repeat(500) });
    expect(Buffer.byteLength(long.id)).toBeLessThanOrEqual(1_000);
    expect((await get(long.id))['agentId']).toBe('ü'.repeat(500));
  });

  it('refuses an existing id, and adds one execution under concurrent calls', async () => {
    const calls = Array.from({ length: 5 }, async () =>
      scene.tenant.call(path('add'), { agentId: 'a', executionId: 'e' }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toEqual([200, 409, 409, 409, 409]);
    const refusal = await refusedAdd({ executionId: 'e' });
    expect([refusal.status, refusal.message]).toEqual(['ALREADY_EXISTS', 'Execution already exists.']);
    expect(await countedRows()).toBe(1);
  });

  it.each<[string, object, Record<string, string>]>([
    ['no agent', { agentId: undefined }, { 'data.agentId': 'agentId is required.' }],
    [
      'a document without its organization',
      { documentId: 'd' },
      { 'data.organizationId': 'organizationId is required.' },
    ],
    [
      'an unknown status',
      { status: 'done' },
      { 'data.status': 'status must be one of: running, passed, failed, error, skipped.' },
    ],
    [
      'an unknown trigger',
      { trigger: 'cron' },
      { 'data.trigger': 'trigger must be one of: standalone, workflow.' },
    ],
    [
      'a version below 1',
      { agentVersion: 0 },
      { 'data.agentVersion': 'agentVersion must be an integer from 1 to 2147483647.' },
    ],
    [
      'an end while it runs',
      { completedAt: 5 },
      { 'data.completedAt': 'completedAt must not be sent while status is running.' },
    ],
    [
      'an end before its start',
      { status: 'passed', startedAt: 5, completedAt: 4 },
      { 'data.completedAt': 'completedAt must not be before startedAt.' },
    ],
    [
      'results of more than 256 KiB',
      { results: 'x'.repeat(262_143) },
      { 'data.results': 'results must be at most 256 KiB.' },
    ],
    ['an unknown member', { color: 'red' }, { 'data.color': 'Unknown member: color.' }],
    ['a person without an id', { ranBy: {} }, { 'data.ranBy.userId': 'ranBy.userId is required.' }],
  ])('refuses %s', async (_what, members, issues) => {
    const refusal = await refusedAdd(members);
    expect([refusal.http, refusal.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(issuesOf(refusal)).toEqual(issues);
    expect(await countedRows()).toBe(0);
  });

  it('refuses an organization or document that does not exist', async () => {
    const nowhere = await refusedAdd({ organizationId: 'nowhere' });
    expect([nowhere.status, nowhere.message]).toEqual(['NOT_FOUND', 'Organization does not exist']);
    const missing = await refusedAdd({
      organizationId: scene.document.organizationId,
      documentId: 'missing',
    });
    expect([missing.status, missing.message]).toEqual(['NOT_FOUND', 'Document does not exist']);
    expect(await countedRows()).toBe(0);
  });
});

describe('updating an execution', () => {
  it('ends it once under concurrent calls', async () => {
    const { id } = await add({ startedAt: 1_000 });
    const ends = ['passed', 'failed', 'error', 'skipped'].map(async (status) =>
      scene.tenant.call(path('update'), { executionId: id, status, completedAt: 3_000 }),
    );
    const responses = await Promise.all(ends);
    expect(responses.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400, 400, 400]);
    const winner = responses.find(({ status }) => status === 200)?.body.result;
    expect(winner).toMatchObject({ message: 'Execution updated successfully', data: { durationMs: 2_000 } });
    expect(await get(id)).toEqual(winner?.data);
    const again = await scene.tenant.refused(path('update'), { executionId: id, status: 'passed' });
    expect([again.status, again.message]).toEqual(['FAILED_PRECONDITION', 'Execution has already ended.']);
  });

  it('changes only message, agent name and results after the end', async () => {
    const { id, completedAt } = await add({ status: 'passed' });
    const { data } = await scene.tenant.ok<Execution>(path('update'), {
      executionId: id,
      message: 'Checked.',
      agentName: 'Renamed',
      results: [1],
    });
    expect(data).toMatchObject({ message: 'Checked.', agentName: 'Renamed', completedAt, status: 'passed' });
    expect(await get(id, { includeResults: true })).toEqual({ ...data, results: [1] });
    for (const change of [{ status: 'running' }, { completedAt: 9 }, { status: 'error', message: 'x' }]) {
      const refusal = await scene.tenant.refused(path('update'), { executionId: id, ...change });
      expect(refusal.message).toBe('Execution has already ended.');
    }
    expect(await get(id)).toEqual(data);
  });

  it('keeps results that are not sent, and shows no progress message after the end', async () => {
    const { id } = await add({ results: { a: 1 } });
    const { data } = await scene.tenant.ok<Execution>(path('update'), { executionId: id, status: 'passed' });
    expect(data['message']).toBe('');
    expect((await get(id, { includeResults: true }))['results']).toEqual({ a: 1 });
  });

  it.each<[string, object, string]>([
    [
      'nothing to change',
      {},
      'At least one of status, message, agentName, completedAt or results must be provided.',
    ],
    ['an end without its status', { completedAt: 9 }, 'completedAt must come with the status of the end.'],
    [
      'an end before the start',
      { status: 'passed', completedAt: 1 },
      'completedAt must not be before startedAt.',
    ],
  ])('refuses %s', async (_what, change, message) => {
    const { id } = await add({ startedAt: 1_000 });
    const before = await get(id);
    const refusal = await scene.tenant.refused(path('update'), { executionId: id, ...change });
    expect([refusal.status, refusal.message]).toEqual(['INVALID_ARGUMENT', message]);
    expect(await get(id)).toEqual(before);
  });

  it('returns NOT_FOUND for an unknown one and one of another tenant, like reading it', async () => {
    const { id } = await add();
    const other = await aTenant(api);
    for (const [who, executionId] of [
      [scene.tenant, 'unknown'],
      [other, id],
    ] as const) {
      const update = await who.refused(path('update'), { executionId, message: 'x' });
      const read = await who.refused(path('get'), { executionId });
      expect([update.status, update.message]).toEqual(['NOT_FOUND', 'Execution not found.']);
      expect([read.status, read.message]).toEqual(['NOT_FOUND', 'Execution not found.']);
    }
  });
});

describe('counting executions', () => {
  beforeEach(async () => {
    for (const [agentId, status] of [
      ['a', 'passed'],
      ['a', 'failed'],
      ['__proto__', 'passed'],
    ]) {
      await add({ agentId, status, ...scene.document });
    }
  });

  const count = async (data: object): Promise<string> => {
    const { message, data: counted } = await scene.tenant.ok(path('count'), data);
    expect(message).toBe('Executions counted successfully');
    return JSON.stringify(counted);
  };

  it('returns counts by agent, 0 for an unknown agent', async () => {
    expect(await count({ agentIds: ['a', '__proto__', 'nobody'] })).toBe(
      '{"counts":{"a":2,"__proto__":1,"nobody":0}}',
    );
    expect(await count({ agentIds: 'a', status: 'passed' })).toBe('{"counts":{"a":1}}');
  });

  it('returns a total without agents, also by status', async () => {
    expect(await count({})).toBe('{"total":3}');
    expect(await count({ status: 'passed' })).toBe('{"total":2}');
    expect(await count({ status: 'skipped' })).toBe('{"total":0}');
  });

  it('omits executions of a deleted document', async () => {
    await scene.tenant.ok('/v2/organizations/documents/delete', {
      organizationId: scene.document.organizationId,
      documentIds: [scene.document.documentId],
    });
    expect(await count({})).toBe('{"total":0}');
  });

  it('accepts 1 to 200 agents', async () => {
    const many = Array.from({ length: 201 }, (_, index) => `a${String(index)}`);
    const refusal = await scene.tenant.refused(path('count'), { agentIds: many });
    expect(refusal.message).toBe('agentIds must hold 1 to 200 items, not 201.');
    expect((await scene.tenant.refused(path('count'), { agentIds: [] })).status).toBe('INVALID_ARGUMENT');
  });
});

describe('an execution of a deleted organization or document', () => {
  it.each(['organization', 'document'])(
    'is deleted at once with its %s, and its id is reusable',
    async (what) => {
      await add({ executionId: 'gone', ...scene.document });
      if (what === 'organization') {
        await scene.tenant.ok('/v2/organizations/delete', {
          organizationIds: [scene.document.organizationId],
        });
      } else {
        await scene.tenant.ok('/v2/organizations/documents/delete', {
          organizationId: scene.document.organizationId,
          documentIds: [scene.document.documentId],
        });
      }
      expect((await scene.tenant.refused(path('get'), { executionId: 'gone' })).status).toBe('NOT_FOUND');
      const listed = await scene.tenant.call(path('list'));
      expect(listed.body.result).toEqual({ items: [], nextCursor: '', hasMore: false });
      await add({ executionId: 'gone' });
      expect((await get('gone'))['organizationId']).toBeNull();
    },
  );
});

describe('events of executions', () => {
  beforeEach(async () => {
    await scene.tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await api.database.sql(
      `insert into webhook_endpoint (api_key_id, public_id, url, secret_enc) values ($1, $2, 'https://example.com', '')`,
      [scene.tenant.id, freshId('ep')],
    );
  });

  const events = async () =>
    api.database.sql<{ type: string; channels: string[]; payload: Execution; users: string }>(
      `select e.type, e.channels, e.payload, (select count(*) from event_user u where u.event_id = e.id) as users
       from event e where e.api_key_id = $1 order by e.id`,
      [scene.tenant.id],
    );

  it('are emitted for every change of status, and for nothing else', async () => {
    const { id } = await add({ ...scene.document, ranBy: { userId: 'ada' } });
    await scene.tenant.ok(path('update'), { executionId: id, message: 'Half way.' });
    await scene.tenant.ok(path('update'), { executionId: id, status: 'running' });
    await scene.tenant.ok(path('update'), { executionId: id, status: 'passed', results: { secret: 1 } });
    await scene.tenant.ok(path('update'), { executionId: id, message: 'After.' });
    const emitted = await events();
    expect(emitted.map(({ type }) => type)).toEqual(['agent.execution.running', 'agent.execution.passed']);
    expect(emitted[1]).toMatchObject({
      channels: [scene.document.organizationId, scene.document.documentId],
      users: '1',
    });
    expect(emitted[1]?.payload).toMatchObject({ id, status: 'passed', ranBy: { userId: 'ada' } });
    expect(emitted[1]?.payload).not.toHaveProperty('results');
  });

  it('are not emitted for refused calls', async () => {
    await add({ executionId: 'e' });
    await refusedAdd({ executionId: 'e' });
    expect(await events()).toHaveLength(1);
  });
});

describe('a fenced user', () => {
  const fence = async (organizations: readonly string[]): Promise<void> => {
    await api.database.sql(
      `with u as (insert into app_user (api_key_id, ext_id) values ($1, 'ada') returning id),
       j as (insert into job (api_key_id, public_id, kind, status) values ($1, $2, 2, 1) returning id),
       o as (insert into user_deletion_organization (job_id, org_id)
         select j.id, o.id from j, organization o where o.api_key_id = $1 and o.ext_id = any($3))
       insert into user_deletion (job_id, user_id, user_ext_id, api_key_id, fenced_at)
       select j.id, u.id, 'ada', $1, now() from j, u`,
      [scene.tenant.id, freshId('job'), organizations],
    );
  };

  it('starts no execution there', async () => {
    await fence([]);
    for (const where of [{}, scene.document]) {
      const refusal = await refusedAdd({ ...where, ranBy: { userId: 'ada' } });
      expect([refusal.status, refusal.message]).toEqual([
        'FAILED_PRECONDITION',
        'User data deletion is in progress.',
      ]);
    }
    expect(await countedRows()).toBe(0);
  });

  it('in one organization only starts executions in others', async () => {
    const other = await aDocument(scene.tenant);
    await fence([other.organizationId]);
    expect((await refusedAdd({ ...other, ranBy: { userId: 'ada' } })).status).toBe('FAILED_PRECONDITION');
    await add({ ...scene.document, ranBy: { userId: 'ada' } });
    await add({ ranBy: { userId: 'ada' } });
  });
});
