import type { Client, WorkflowHandle } from '@temporalio/client';

/** A task of a workflow, from its history. */
export interface Task {
  readonly workflowId: string;
  readonly kind: 'workflow' | 'activity';
  /** The attempt of an activity. A history records no attempts of workflow tasks. */
  readonly attempt: number;
  /** Milliseconds from scheduled to started or timed out. */
  readonly waitedMs: number;
  /** For a task that timed out: `started` when a worker had received it. */
  readonly timedOut?: 'scheduled' | 'started';
}

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

/** Returns the tasks of all workflows of a namespace that were scheduled at this time or later, in milliseconds since the epoch. */
export async function tasksSince(client: Client, sinceMs: number): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  for await (const { workflowId, runId } of client.workflow.list())
    tasks.push(
      ...tasksOf(workflowId, await client.workflow.getHandle(workflowId, runId).fetchHistory(), sinceMs),
    );
  return tasks;
}

/** Returns the tasks of a run that started, and those that timed out. */
function tasksOf(workflowId: string, { events }: History, sinceMs: number): readonly Task[] {
  const scheduledAt = new Map<string, number>();
  const tasks: Task[] = [];
  for (const { eventId, eventTime, ...event } of events ?? []) {
    const at = Number(eventTime?.seconds ?? 0) * 1_000 + (eventTime?.nanos ?? 0) / 1e6;
    scheduledAt.set(String(eventId), at);
    const started = event.activityTaskStartedEventAttributes ?? event.workflowTaskStartedEventAttributes;
    const timedOut = event.activityTaskTimedOutEventAttributes ?? event.workflowTaskTimedOutEventAttributes;
    const scheduled = scheduledAt.get(String((started ?? timedOut)?.scheduledEventId));
    if (scheduled === undefined || scheduled < sinceMs) continue;
    const isActivity = event.activityTaskStartedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
    tasks.push({
      workflowId,
      kind: isActivity ? 'activity' : 'workflow',
      attempt: event.activityTaskStartedEventAttributes?.attempt ?? 1,
      waitedMs: at - scheduled,
      ...(timedOut && { timedOut: String(timedOut.startedEventId) === '0' ? 'scheduled' : 'started' }),
    });
  }
  return tasks;
}
