import {
  anyObject,
  bool,
  integer,
  integerOrNull,
  object,
  oneOf,
  text,
  textOrNull,
  user,
  type EventType,
  type Schema,
} from './event-type.ts';

const executionStatuses = {
  running: 'An agent started.',
  passed: 'An agent’s execution passed.',
  failed: 'An agent’s execution failed.',
  error: 'An agent’s execution ended with an error.',
  skipped: 'An agent’s execution was skipped.',
} as const;

type Status = keyof typeof executionStatuses;

const executionSchema = (status: Status): Schema =>
  object({
    id: text,
    agentId: text,
    agentName: text,
    agentVersion: integer,
    status: oneOf(status),
    message: text,
    startedAt: integer,
    completedAt: status === 'running' ? { type: 'null' } : integer,
    durationMs: status === 'running' ? { type: 'null' } : integerOrNull,
    trigger: oneOf('standalone', 'workflow'),
    organizationId: textOrNull,
    documentId: textOrNull,
    workflowExecutionId: textOrNull,
    url: textOrNull,
    ranBy: { oneOf: [user, { type: 'null' }] },
  });

const executionExample = (status: Status): object => {
  const ended = status !== 'running';
  return {
    id: 'run-1',
    agentId: 'reviewer',
    agentName: 'Reviewer',
    agentVersion: 1,
    status,
    message: ended ? 'Two remarks' : 'Execution in progress',
    startedAt: 1_790_000_000_000,
    completedAt: ended ? 1_790_000_004_500 : null,
    durationMs: ended ? 4_500 : null,
    trigger: 'standalone',
    organizationId: 'acme',
    documentId: 'plan',
    workflowExecutionId: null,
    url: null,
    ranBy: { userId: 'u1', name: 'Mary' },
  };
};

const executions = (Object.keys(executionStatuses) as Status[]).map((status): EventType => {
  const [description, name] = [executionStatuses[status], `agent.execution.${status}`];
  return { name, description, schema: executionSchema(status), example: executionExample(status) };
});

const flags: Schema = { type: 'object', additionalProperties: bool };

const notification: EventType = {
  name: 'notification.add',
  description: 'Someone was notified.',
  schema: object(
    {
      id: text,
      notificationSource: oneOf('comment', 'huddle', 'crdt', 'recorder', 'custom'),
      actionUser: user,
      displayHeadlineMessageTemplate: text,
      displayHeadlineMessageTemplateData: anyObject,
      displayBodyMessage: text,
      timestamp: integer,
      notifyUsers: flags,
      notifyUsersByUserId: flags,
      notifyUsersCount: integer,
      metadata: object({ organizationId: text, documentId: text }, { open: true }),
    },
    {
      optional: [
        'displayHeadlineMessageTemplate',
        'displayHeadlineMessageTemplateData',
        'displayBodyMessage',
      ],
      open: true,
    },
  ),
  example: {
    notificationSource: 'custom',
    actionUser: { userId: 'u1', name: 'Mary', email: 'mary@example.com' },
    displayHeadlineMessageTemplate: '{actionUser} asked {recipientUser}',
    displayHeadlineMessageTemplateData: { recipientUser: { userId: 'u2', name: 'Ben' } },
    displayBodyMessage: 'Is this the latest plan?',
    id: 'n1',
    timestamp: 1_790_000_000_000,
    notifyUsers: { 'ben@example.com': true },
    notifyUsersByUserId: { u2: true },
    notifyUsersCount: 1,
    metadata: { organizationId: 'acme', documentId: 'plan' },
  },
};

const crdt: EventType = {
  name: 'crdt.update_data',
  description: 'Collaborative data was updated; at most one event per editor in 5 seconds.',
  schema: object({
    organizationId: text,
    documentId: text,
    editorId: text,
    type: oneOf('text', 'map', 'array', 'xml'),
    contentKey: text,
    lastUpdate: { type: 'string', format: 'date-time' },
  }),
  example: {
    organizationId: 'acme',
    documentId: 'plan',
    editorId: 'e1',
    type: 'text',
    contentKey: 'content',
    lastUpdate: '2026-11-21T12:00:00.000Z',
  },
};

/** Events of notifications, collaborative data and agent executions. */
export const recordTypes: readonly EventType[] = [crdt, notification, ...executions];
