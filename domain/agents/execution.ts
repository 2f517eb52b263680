import { z } from 'zod';
import { nameOfNumber } from '../name-of-number.ts';

/** `running`, then exactly one of the others. */
export const executionStatuses = ['running', 'passed', 'failed', 'error', 'skipped'] as const;
export type ExecutionStatus = (typeof executionStatuses)[number];

export const executionTriggers = ['standalone', 'workflow'] as const;
export type ExecutionTrigger = (typeof executionTriggers)[number];

/** Numbers are stored, so a number is never reused. */
export const executionStatusNumbers = {
  running: 1,
  passed: 2,
  failed: 3,
  error: 4,
  skipped: 5,
} as const satisfies Record<ExecutionStatus, number>;

const executionStatusName = (number: number): ExecutionStatus => nameOfNumber(executionStatusNumbers, number);

/** The user who started an execution, stored as sent. */
export interface RanBy {
  readonly userId: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly [member: string]: unknown;
}

/** Members of an execution that no query filters by. */
export interface ExecutionBody {
  readonly agentName: string;
  readonly agentVersion: number;
  /** Null until sent; the response then shows a default by status. */
  readonly message: string | null;
  readonly trigger: ExecutionTrigger;
  readonly workflowExecutionId: string | null;
  readonly url: string | null;
  readonly ranBy: RanBy | null;
}

/** A row of `executionColumns`, with the customer's ids of its location. */
export const ExecutionRow = z.strictObject({
  id: z.string(),
  ext_id: z.string(),
  agent_id: z.string(),
  status: z.literal(Object.values(executionStatusNumbers)),
  started_at: z.string(),
  completed_at: z.string().nullable(),
  body: z.custom<ExecutionBody>(),
  organization_ext_id: z.string().nullable(),
  document_ext_id: z.string().nullable(),
});
export type ExecutionRow = z.infer<typeof ExecutionRow>;

/**
 * Personal data in this folder's table: `agent_execution.started_by` (indexes agent_execution_user and
 * agent_execution_elsewhere) with `body.ranBy`. A deletion removes the executions that a user started, and removes other
 * users from `results` and `body.ranBy` (json_name).
 */
export interface Execution {
  readonly id: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly agentVersion: number;
  readonly status: ExecutionStatus;
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly completedAt: number | null;
  readonly durationMs: number | null;
  readonly trigger: ExecutionTrigger;
}

/** The execution of a row, without its location. */
export function executionOf(row: Omit<ExecutionRow, 'id'>): Execution {
  const { body } = row;
  const status = executionStatusName(row.status);
  const startedAt = Number(row.started_at);
  const completedAt = row.completed_at === null ? null : Number(row.completed_at);
  return {
    id: row.ext_id,
    agentId: row.agent_id,
    agentName: body.agentName,
    agentVersion: body.agentVersion,
    status,
    message: body.message ?? (status === 'running' ? 'Execution in progress' : ''),
    startedAt,
    completedAt,
    durationMs: completedAt === null ? null : completedAt - startedAt,
    trigger: body.trigger,
  };
}

/** An execution with its location and the user who started it. */
export interface DetailedExecution extends Execution {
  readonly organizationId: string | null;
  readonly documentId: string | null;
  readonly workflowExecutionId: string | null;
  readonly url: string | null;
  readonly ranBy: RanBy | null;
}

/** The execution of a row, with its location. */
export function detailedExecutionOf(row: Omit<ExecutionRow, 'id'>): DetailedExecution {
  return {
    ...executionOf(row),
    organizationId: row.organization_ext_id,
    documentId: row.document_ext_id,
    workflowExecutionId: row.body.workflowExecutionId,
    url: row.body.url,
    ranBy: row.body.ranBy,
  };
}
