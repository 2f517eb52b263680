import { addExecution } from './add-execution.ts';
import { countExecutions } from './count-executions.ts';
import { getExecution } from './get-execution.ts';
import { listExecutions } from './list-executions.ts';
import { updateExecution } from './update-execution.ts';

export const agentEndpoints = [
  addExecution,
  updateExecution,
  getExecution,
  listExecutions,
  countExecutions,
] as const;
