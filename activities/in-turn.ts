import { cancellationSignal, heartbeat } from '@temporalio/activity';

/** Milliseconds; a turn that is over sooner costs no heartbeat. */
const beat = 2_000;

/** Works in a turn that may take a while: says regularly that it is alive, and is told when it shall end. */
export async function inTurn<Result>(
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const beating = setInterval(heartbeat, beat);
  try {
    return await work(AbortSignal.any([stopping, cancellationSignal()]));
  } finally {
    clearInterval(beating);
  }
}
