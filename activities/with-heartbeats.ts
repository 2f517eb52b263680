import { cancellationSignal, heartbeat } from '@temporalio/activity';

/** Milliseconds between two heartbeats. A call that ends earlier sends none. */
const heartbeatDelayMs = 2_000;

/** Runs a turn and sends heartbeats. `signal` aborts when the process stops or the activity is canceled. */
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
