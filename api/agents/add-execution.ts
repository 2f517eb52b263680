import { z } from 'zod';
import { addExecution as add } from '../../domain/agents/add-execution.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { allOf, anyOf, has, not, sends, rule } from '../rules.ts';
import { atMostKibibytes, customerId, idOf, integer, milliseconds, name, text } from '../schemas.ts';
import { embeddedUser } from '../activity-logs/activity-log.ts';
import { detailedExecutionResponse, executionStatus, executionTrigger, results } from './execution.ts';

/** Max of a 4-byte integer. */
const maxVersion = 2_147_483_647;

const documentHasOrganization = anyOf(not(sends('documentId')), sends('organizationId'));
const endHasStatus = anyOf(not(sends('completedAt')), has('status', not({ const: 'running' })));

export const addExecution = endpoint({
  paths: ['/v2/agents/execution/add'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Adds an execution of an agent, running or ended.',
  description:
    'Emits `agent.execution.running`, or the event of the end state, while webhooks are on. An ' +
    '`executionId` that exists fails with `ALREADY_EXISTS`, so a repeated call with the same id adds ' +
    'nothing. An unknown organization or document fails with `NOT_FOUND`. Fails with ' +
    '`FAILED_PRECONDITION` while the data of a named user is being deleted. The user in `ranBy` is ' +
    'created when unknown.',
  data: z
    .strictObject({
      agentId: idOf('the agent'),
      executionId: customerId
        .optional()
        .describe('Id of the execution, 1 to 1,000 bytes. Absent: generated from the time and the agent.'),
      agentName: name.optional().describe('Name of the agent, max 1,000 characters. Absent: `agentId`.'),
      agentVersion: integer(1, maxVersion).default(1).describe('Version of the agent.'),
      organizationId: customerId
        .optional()
        .describe('Id of an existing organization, max 1,000 bytes. Required with `documentId`.'),
      documentId: customerId
        .optional()
        .describe('Id of an existing document of the organization, max 1,000 bytes.'),
      status: executionStatus
        .default('running')
        .describe('Status of the execution; every status except `running` is an end.'),
      message: text(10_000)
        .optional()
        .describe('Message to show, max 10,000 characters. Absent: `Execution in progress` while running.'),
      startedAt: milliseconds
        .optional()
        .describe('When the execution started, in milliseconds since the epoch. Absent: now.'),
      completedAt: milliseconds
        .optional()
        .describe(
          'When the execution ended, in milliseconds since the epoch, not before `startedAt`. Absent: now for ' +
            'an ended execution.',
        ),
      trigger: executionTrigger.default('standalone').describe('What started the execution.'),
      workflowExecutionId: text(1_000)
        .optional()
        .describe('Your id for the workflow run, max 1,000 characters.'),
      url: text(2_048).optional().describe('URL of the execution in your system, max 2,048 characters.'),
      ranBy: embeddedUser
        .superRefine(atMostKibibytes(16))
        .optional()
        .describe('User who started the execution, max 16 KiB. Unknown fields are stored.'),
      results: results.optional().describe('Results of the execution: any JSON, max 256 KiB.'),
    })
    .check(
      rule(
        'documentId needs organizationId. completedAt must not be sent while status is running.',
        allOf(documentHasOrganization, endHasStatus),
        ['status'],
        ({ organizationId, documentId, status, completedAt }, context) => {
          if (documentId !== undefined && organizationId === undefined) {
            context.addIssue({ code: 'custom', path: ['organizationId'], message: '<m> is required.' });
          }
          if (status === 'running' && completedAt !== undefined) {
            const message = '<m> must not be sent while status is running.';
            context.addIssue({ code: 'custom', path: ['completedAt'], message });
          }
        },
      ),
      rule(
        'completedAt must not be before startedAt.',
        {},
        ['status', 'startedAt', 'completedAt'],
        ({ status, startedAt, completedAt }, context) => {
          if (status === 'running' || startedAt === undefined || completedAt === undefined) return;
          if (completedAt < startedAt)
            context.addIssue({
              code: 'custom',
              path: ['completedAt'],
              message: '<m> must not be before startedAt.',
            });
        },
      ),
    ),
  response: dataResponse(detailedExecutionResponse),
  errors: ['NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION'],
  example: {
    agentId: 'summarizer',
    organizationId: 'acme',
    documentId: 'plan',
    ranBy: { userId: 'u1', name: 'Ada' },
  },
  async handle({ data, tenant }, { em }) {
    const execution = await add(em, tenant, {
      ...data,
      message: data.message ?? null,
      workflowExecutionId: data.workflowExecutionId ?? null,
      url: data.url ?? null,
      ranBy: data.ranBy ?? null,
    });
    return succeeded('Execution added successfully', execution);
  },
});
