import { z } from 'zod';
import { addExecution as add } from '../../domain/agents/add-execution.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { both, either, has, never, present, rule } from '../rules.ts';
import { idOf, integer, milliseconds, name, text } from '../schemas.ts';
import { detailedExecutionResponse, executionStatus, executionTrigger, ranBy, results } from './execution.ts';

/** Max of a 4-byte integer. */
const maxVersion = 2_147_483_647;

const documentHasOrganization = either(never(present('documentId')), present('organizationId'));
const endHasStatus = either(never(present('completedAt')), has('status', never({ const: 'running' })));

export const addExecution = endpoint({
  paths: ['/v2/agents/execution/add'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Adds an execution of an agent, running or ended.',
  data: z
    .strictObject({
      agentId: idOf('the agent'),
      executionId: idOf('the execution').optional(),
      agentName: name.optional(),
      agentVersion: integer(1, maxVersion).default(1),
      organizationId: idOf('the organization').optional(),
      documentId: idOf('the document').optional(),
      status: executionStatus.default('running'),
      message: text(10_000).optional(),
      startedAt: milliseconds.optional(),
      completedAt: milliseconds.optional(),
      trigger: executionTrigger.default('standalone'),
      workflowExecutionId: text(1_000).optional(),
      url: text(2_048).optional(),
      ranBy: ranBy.optional(),
      results: results.optional(),
    })
    .check(
      rule(
        'documentId needs organizationId. completedAt must not be sent while status is running.',
        both(documentHasOrganization, endHasStatus),
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
    ),
  response: dataResponse(detailedExecutionResponse),
  errors: ['NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION'],
  example: {
    agentId: 'summariser',
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
