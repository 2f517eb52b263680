import { cancellationSignal, heartbeat } from '@temporalio/activity';

/** Sends a heartbeat with `details` between two chunks. Throws when the activity is canceled or the worker stops. */
export function reportProgress(details: unknown): void {
  heartbeat(details);
  cancellationSignal().throwIfAborted();
}
