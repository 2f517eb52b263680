import { cancellationSignal, heartbeat } from '@temporalio/activity';

/** Milliseconds between two heartbeats. A shorter turn sends none. */
const heartbeatDelayMs = 2_000;

/** Runs a turn with heartbeats. `signal` aborts when the process stops or the activity is canceled. */
export async function withHeartbeats<Result>(
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const beating = setInterval(heartbeat, heartbeatDelayMs);
  try {
    return await work(AbortSignal.any([stopping, cancellationSignal()]));
  } finally {
    clearInterval(beating);
  }
}
