import {
  proxyActivities,
  type ActivityFunctionWithOptions,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

/** Activities under one policy, each with the summary that the Temporal UI shows. */
export function steps<Name extends keyof Activities>(
  options: ActivityOptions,
  summaries: Readonly<Record<Name, string>>,
): Pick<Activities, Name> {
  const activities = proxyActivities<Activities>(options);
  const summarized = (Object.entries(summaries) as [Name, string][]).map(([name, summary]) => [
    name,
    (...input: Parameters<Activities[Name]>) =>
      (activities[name] as ActivityFunctionWithOptions<Activities[Name]>).executeWithOptions(
        { summary },
        input,
      ),
  ]);
  return Object.fromEntries(summarized) as Pick<Activities, Name>;
}

/**
 * Retries a step for a day after any failure. After that the workflow fails, the job's row has not ended, and the sweep
 * starts the job again.
 */
export const retryForADay = {
  startToCloseTimeout: '10 minutes',
  scheduleToCloseTimeout: '1 day',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
} as const satisfies ActivityOptions;

/**
 * For a step of any duration whose attempts continue where the previous one stopped: retries without limit, and detects a
 * crashed worker within 20 s.
 */
export const retryWithProgress = {
  startToCloseTimeout: '1 day',
  heartbeatTimeout: retryForADay.heartbeatTimeout,
  retry: retryForADay.retry,
} as const satisfies ActivityOptions;

/** For repeated turns of at most 30 s: retries without limit, and detects a crashed worker within 8 s. */
export const retryForever = {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '8 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
} as const satisfies ActivityOptions;

/** For steps of the sweep: the next sweep is the retry. */
export const retryInNextSweep = {
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '1 minute',
  heartbeatTimeout: '20 seconds',
  retry: { maximumAttempts: 1 },
} as const satisfies ActivityOptions;
