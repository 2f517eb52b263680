import {
  proxyActivities,
  type ActivityFunctionWithOptions,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

/** Activities under one policy, each with the sentence by which an operator knows it in the Temporal UI. */
export function steps<Name extends keyof Activities>(
  options: ActivityOptions,
  summaries: Readonly<Record<Name, string>>,
): Pick<Activities, Name> {
  const activities = proxyActivities<Activities>(options);
  const told = (Object.entries(summaries) as [Name, string][]).map(([name, summary]) => [
    name,
    (...input: Parameters<Activities[Name]>) =>
      (activities[name] as ActivityFunctionWithOptions<Activities[Name]>).executeWithOptions(
        { summary },
        input,
      ),
  ]);
  return Object.fromEntries(told) as Pick<Activities, Name>;
}

/**
 * For steps that must be done however long a server is away: attempts without number, a day in all. Beyond that the
 * workflow fails, the job's row has not ended, and the sweep starts it anew.
 */
export const untilItWorks = {
  startToCloseTimeout: '10 minutes',
  scheduleToCloseTimeout: '1 day',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
} as const satisfies ActivityOptions;

/**
 * For turns of half a minute at most, one after the other for as long as there is work: attempts without number, and a
 * worker that died is noticed soon.
 */
export const inTurns = {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '8 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
} as const satisfies ActivityOptions;

/** For what comes round again by itself in a moment. */
export const onceInAWhile = {
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '1 minute',
  heartbeatTimeout: '20 seconds',
  retry: { maximumAttempts: 1 },
} as const satisfies ActivityOptions;
