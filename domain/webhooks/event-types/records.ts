import { namesOf } from '../../names-of.ts';
import {
  anyObject,
  documentId,
  integer,
  nothing,
  object,
  oneOf,
  organizationId,
  text,
  textOrNull,
  time,
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
    id: text('Id of the execution.'),
    agentId: text('Id of the agent.'),
    agentName: text('Name of the agent.'),
    agentVersion: integer('Version of the agent.'),
    status: oneOf('State of the execution.', status),
    message: text('Message to show. Empty when none was sent and the execution has ended.'),
    startedAt: time('When the execution started'),
    completedAt: status === 'running' ? nothing('The execution runs.') : time('When the execution ended'),
    durationMs:
      status === 'running'
        ? nothing('The execution runs.')
        : { type: ['integer', 'null'], description: 'Time from start to end, in milliseconds.' },
    trigger: oneOf('What started the execution.', 'standalone', 'workflow'),
    organizationId: textOrNull('Your id for the organization. Null when none was sent.'),
    documentId: textOrNull('Your id for the document. Null when none was sent.'),
    workflowExecutionId: textOrNull('Your id for the workflow run. Null when none was sent.'),
    url: textOrNull('URL of the execution in your system. Null when none was sent.'),
    ranBy: {
      description: 'User who started the execution. Null when none was sent.',
      oneOf: [user('User who started the execution, as sent.'), { type: 'null' }],
    },
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

const executions = namesOf(executionStatuses).map((status): EventType => {
  const [description, name] = [executionStatuses[status], `agent.execution.${status}`];
  return { name, description, schema: executionSchema(status), example: executionExample(status) };
});

const flags = (description: string): Schema => ({
  type: 'object',
  description,
  additionalProperties: { type: 'boolean' },
});

const notification: EventType = {
  name: 'notification.add',
  description: 'Users were notified.',
  schema: object(
    {
      id: text('Id of the notification.'),
      notificationSource: oneOf(
        'Feature that caused the notification.',
        'comment',
        'huddle',
        'crdt',
        'recorder',
        'custom',
      ),
      actionUser: user('User who acted, as sent.'),
      displayHeadlineMessageTemplate: text('Headline, with variables in braces.'),
      displayHeadlineMessageTemplateData: anyObject('Values of the variables of the headline.'),
      displayBodyMessage: text('Body of the notification.'),
      timestamp: time('When the notification was added'),
      notifyUsers: flags('Map from the e-mail address of each recipient to true, for the first 1,000.'),
      notifyUsersByUserId: flags('Map from the id of each recipient to true, for the first 1,000.'),
      notifyUsersCount: integer(
        'Number of users who have it in the inbox. A job may add others later, without an event.',
      ),
      emailRecipients: {
        type: 'array',
        description:
          'Present while the type of `emailconfig` is `custom`: users that your own sender should e-mail, also ' +
          'those without the notification in the inbox. Max 1,000.',
        items: object({
          userId: text('Your id for the user.'),
          email: text('E-mail address of the user’s record, else the one that was sent. Empty without both.'),
        }),
      },
      metadata: object(
        { organizationId, documentId },
        { description: 'Location of the notification, and the fields that were sent.', open: true },
      ),
    },
    {
      optional: [
        'displayHeadlineMessageTemplate',
        'displayHeadlineMessageTemplateData',
        'displayBodyMessage',
        'emailRecipients',
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
    organizationId,
    documentId,
    editorId: text('Id of the editor within the document.'),
    type: oneOf('Kind of the data.', 'text', 'map', 'array', 'xml', 'xmltext'),
    contentKey: text('Name of the content within the editor’s data.'),
    lastUpdate: {
      type: 'string',
      format: 'date-time',
      description: 'When the data was last updated, in ISO 8601 with milliseconds.',
    },
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
