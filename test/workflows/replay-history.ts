import { Worker } from '@temporalio/worker';

/** The members of a recorded history that tests read. */
export interface History {
  events: {
    eventId: string;
    eventType: string;
    workflowExecutionStartedEventAttributes?: {
      workflowId: string;
      workflowType: { name: string };
    };
    activityTaskScheduledEventAttributes?: { activityType: { name: string } };
  }[];
}

/** Replays a history on a bundle of workflows. Rejects when the workflow takes another path. */
export async function replayHistory(code: string, history: History): Promise<void> {
  const workflowId = history.events[0]?.workflowExecutionStartedEventAttributes?.workflowId;
  await Worker.runReplayHistory({ workflowBundle: { code } }, history, workflowId);
}
