import { makeContinueAsNewFunc, workflowInfo, type Workflow } from '@temporalio/workflow';

/**
 * Continues the workflow as a new run that has the memo of this one. `continueAsNew` gives it the memo with which this run
 * started, and so does an empty memo. `removed`: names that this run may have removed from it.
 */
export const continueWithMemo = async <Continued extends Workflow>(
  input: Parameters<Continued>,
  removed: Readonly<Record<string, undefined>> = {},
): Promise<never> =>
  makeContinueAsNewFunc<Continued>({ memo: { ...removed, ...workflowInfo().memo } })(...input);
