import { cancellationSignal, heartbeat } from '@temporalio/activity';

/** Between two chunks of long work: tells where it stands, and stops when the workflow or the worker says so. */
export function reportProgress(details: unknown): void {
  heartbeat(details);
  cancellationSignal().throwIfAborted();
}
