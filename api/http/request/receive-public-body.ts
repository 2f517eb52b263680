import type { RequestContext } from '../middleware/state.ts';
import type { BodyBudget } from './body-budget.ts';
import { receiveFor } from './receive-charged.ts';

/** Limits of bodies of pages, which callers without credentials send. */
export interface PublicBodies {
  readonly bodyBudget: BodyBudget;
  readonly bodyWithinMs: number;
}

const maxMebibytes = 1;

/** Returns a body of up to 1 MiB, charged to `owner`. Throws like `receiveBody`. */
export async function receivePublicBody(
  { bodyBudget, bodyWithinMs: withinMs }: PublicBodies,
  context: RequestContext,
  owner: string,
): Promise<Buffer> {
  const reception = { maxMebibytes, withinMs, deadline: performance.now() + withinMs };
  const body = await receiveFor(bodyBudget, context, owner, reception);
  context.state.bytes = body.length;
  return body;
}
