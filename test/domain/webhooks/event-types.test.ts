import { afterAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { emissions } from '../../../domain/comments/emission/change.ts';
import { protectedData } from '../../../domain/webhooks/delivery/protected-data.ts';
import { eventTypes, findEventType } from '../../../domain/webhooks/event-types.ts';
import { startTestApi } from '../../support/api.ts';
import { aWorld } from '../../support/world.ts';

const api = await startTestApi();
afterAll(api.close);

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const faults = (name: string, payload: unknown): unknown => {
  const validate = ajv.compile(findEventType(name)?.schema ?? false);
  return validate(payload) ? [] : validate.errors;
};

const families: Readonly<Record<string, readonly string[]>> = {
  document: ['migrated', 'migration_failed'],
  user: ['data_deleted', 'data_deletion_late'],
  endpoint: ['disabled'],
  webhook: ['test'],
  crdt: ['update_data'],
  notification: ['add'],
  'agent.execution': ['running', 'passed', 'failed', 'error', 'skipped'],
  comment_annotation: [
    'add',
    'assign',
    'status_change',
    'priority_change',
    'custom_list_change',
    'subscribe',
    'unsubscribe',
    'accept',
    'reject',
    'approve',
    'suggestion_accept',
    'suggestion_reject',
    'access_mode_change',
    'delete',
  ],
  comment: ['add', 'update', 'delete', 'reaction_add', 'reaction_delete'],
  huddle: ['create', 'join'],
  recorder: ['done'],
};

describe('the event type catalog', () => {
  it('lists every predefined type once', () => {
    const named = Object.entries(families).flatMap(([family, types]) =>
      types.map((type) => `${family}.${type}`),
    );
    expect(eventTypes.map(({ name }) => name).toSorted()).toEqual(named.toSorted());
  });

  it.each(eventTypes.map((type) => [type.name, type] as const))(
    'has an example that matches its schema: %s',
    (name, type) => {
      expect(name).toMatch(/^[A-Za-z0-9_.:-]{1,128}$/);
      expect(type.description).toMatch(/\.$/);
      expect(faults(name, type.example)).toEqual([]);
    },
  );

  it('marks every type that comments emit', () => {
    const emitted = eventTypes.filter((type) => type.emitted).map(({ name }) => name);
    expect(emitted).toEqual(expect.arrayContaining(Object.keys(emissions)));
  });

  it('requires some texts that messages lack with data protection', () => {
    const lacking = eventTypes.flatMap(({ name, schema, example }) => {
      const left = protectedData(example) as object;
      const { required = [] } = schema as { readonly required?: readonly string[] };
      const missing = required.filter((member) => !Object.hasOwn(left, member));
      return missing.length === 0 ? [] : [[name, missing]];
    });
    const execution = ['agentName', 'message'];
    expect(Object.fromEntries(lacking)).toEqual({
      'document.migration_failed': ['error'],
      'endpoint.disabled': ['url', 'reason'],
      'webhook.test': ['message'],
      'agent.execution.running': execution,
      'agent.execution.passed': execution,
      'agent.execution.failed': execution,
      'agent.execution.error': execution,
      'agent.execution.skipped': execution,
    });
  });

  it('matches the recorded events', async () => {
    const { tenant, ids } = await aWorld(api);
    const [organizationId] = ids.organization;
    const [documentId] = ids.document;
    const [editorId] = ids.editor;
    const location = { organizationId, documentId };
    const userId = ids.user[0];
    const actionUser = { userId, name: 'Ada', email: 'ada@example.com', color: 'red' };
    await tenant.ok('/v2/activities/add', {
      ...location,
      activities: [
        {
          featureType: 'comment',
          actionType: 'comment.add',
          actionUser,
          targetEntityId: 'thread',
          targetSubEntityId: 'comment',
          changes: { text: { from: 'a', to: 'b' } },
          entityData: ['any', 1],
          entityTargetData: null,
          displayMessageTemplate: '{{actionUser}} wrote',
          displayMessageTemplateData: { a: 1 },
          actionIcon: 'pen',
          isActivityResolverUsed: true,
          metadata: { dropped: true },
        },
        { featureType: 'recorder', actionType: 'recorder.done', actionUser: { userId } },
      ],
    });
    await tenant.ok('/v2/notifications/add', {
      ...location,
      actionUser,
      displayHeadlineMessageTemplate: '{actionUser} wrote',
      displayBodyMessage: 'Ada wrote.',
      notifyUsers: [{ userId: 'someone', email: 'someone@example.com' }],
      metadata: { mine: 1 },
    });
    for (const status of ['running', 'passed', 'failed', 'error', 'skipped']) {
      await tenant.ok('/v2/agents/execution/add', {
        agentId: 'agent',
        status,
        ...location,
        ranBy: { userId },
      });
    }
    await tenant.ok('/v2/agents/execution/add', { agentId: 'agent' });
    await tenant.ok('/v2/crdt/update', { ...location, editorId, type: 'map', data: { title: 'New' } });
    await tenant.ok('/v2/crdt/delete', { ...location, editorIds: [editorId] });
    await tenant.ok('/v2/jobs/cancel', { jobId: ids.job[0] });
    const recorded = await api.database.sql<{ type: string; payload: unknown }>(
      'select type, payload from event where api_key_id = $1',
      [tenant.id],
    );
    const known = new Set(recorded.map(({ type }) => type));
    for (const { type, payload } of recorded) expect([type, faults(type, payload)]).toEqual([type, []]);
    expect([...known].toSorted()).toEqual([
      'agent.execution.error',
      'agent.execution.failed',
      'agent.execution.passed',
      'agent.execution.running',
      'agent.execution.skipped',
      'comment.add',
      'crdt.update_data',
      'document.migration_failed',
      'notification.add',
      'recorder.done',
      'webhook.test',
    ]);
  });
});
