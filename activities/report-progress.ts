import { cancellationSignal, heartbeat } from '@temporalio/activity';

/** Sends a heartbeat with `details` between two chunks. Throws when the activity is canceled or the worker stops. */
export function reportProgress(details: unknown): void {
  heartbeat(details);
  cancellationSignal().throwIfAborted();
}

/** Runs steps to their end, and reports the progress that each yields. Returns their result. */
export async function reportingEach<Result>(steps: AsyncGenerator<unknown, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = await steps.next();
    if (done === true) return value;
    reportProgress(value);
  }
}
