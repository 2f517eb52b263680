import { ownerOf } from '../caller/authenticate.ts';
import type { AuthenticatedState, RequestContext } from '../middleware/state.ts';
import { sendContinue, isClosed, whenFinished } from '../response/streaming-writer.ts';
import type { BodyBudget } from './body-budget.ts';
import { expectsContinue, receiveBody, type Reception } from './receive-body.ts';

/**
 * Returns the whole body, which the first call receives. The body stays charged to its owner's budget until the response
 * is sent or the connection closes.
 */
export async function receiveCharged(
  budget: BodyBudget,
  context: RequestContext<AuthenticatedState>,
): Promise<Buffer> {
  const { state } = context;
  state.received ??= await receiveFor(budget, context, ownerOf(state.authenticated), state.reception);
  return state.received;
}

/** Returns the whole body, charged to the budget of `owner` like that of `receiveCharged`. */
export async function receiveFor(
  budget: BodyBudget,
  context: RequestContext,
  owner: string,
  reception: Reception,
): Promise<Buffer> {
  const { req } = context;
  if (req.complete && req.readableLength === 0) return receiveBody(req, reception);
  if (expectsContinue(req) && !req.complete) sendContinue(context);
  // Without a charge the bytes are counted and discarded.
  const charge = isClosed(context) ? undefined : budget.open(owner);
  if (charge !== undefined) whenFinished(context, () => charge.release());
  return receiveBody(req, { ...reception, charge });
}
