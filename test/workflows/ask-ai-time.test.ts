import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { activityInfo } from '@temporalio/activity';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { askAiLimits, rewriterQueues, workflowQueue } from '../../workflows/contract.ts';
import { askAiStartOf } from '../../workflows/starts.ts';
import { workflowBundle } from '../../worker/workflow-bundle.ts';
import { quietRuntime } from './quiet-runtime.ts';

let environment: TestWorkflowEnvironment;
beforeAll(async () => {
  quietRuntime();
  const path = process.env['TEST_TIME_SKIPPING_SERVER'] ?? '';
  environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
});
afterAll(async () => environment.teardown());

it('one call to a provider may take the whole time of its request, to store a response after an outage', async () => {
  let callMs: number | undefined;
  const activities = {
    askProvider: async () => {
      callMs = activityInfo().startToCloseTimeoutMs;
      return Promise.resolve();
    },
  };
  const connection = environment.nativeConnection;
  const calls = await Worker.create({ connection, taskQueue: rewriterQueues.openai, activities });
  const workflows = await Worker.create({
    connection,
    taskQueue: workflowQueue,
    workflowBundle: await workflowBundle(tmpdir()),
  });
  const { workflowType, workflowId, taskQueue, input } = askAiStartOf({
    requestId: 'ask_1',
    provider: 'openai',
    keyId: 'key_1',
    callerRequestId: undefined,
  });
  await calls.runUntil(
    workflows.runUntil(
      environment.client.workflow.execute(workflowType, { workflowId, taskQueue, args: [input] }),
    ),
  );
  expect(callMs).toBe(askAiLimits.activity);
});
