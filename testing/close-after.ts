import { StartFailure } from '../local/start-failure.ts';
import type { ClosingStack } from '../platform/process/closing-stack.ts';
import { errorMessage } from '../platform/process/error-message.ts';

/** Closes all parts after a failed start. Returns its reason, with the errors of closers in the cause if some fail. */
export async function closeAfter(parts: ClosingStack, reason: unknown): Promise<unknown> {
  try {
    await parts.close();
    return reason;
  } catch (error) {
    return new StartFailure(errorMessage(reason), { cause: new AggregateError([reason, error]) });
  }
}
