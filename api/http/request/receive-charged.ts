import { ownerOf } from '../caller/authenticate.ts';
import type { BodyBudget } from './body-budget.ts';
import type { AuthenticatedState, RequestContext } from '../middleware/state.ts';
import { expectsContinue, receiveBody } from './receive-body.ts';
import { askForBody, isClosed, whenClosed } from '../response/streaming-writer.ts';

/**
 * Returns the whole body, which the first call receives. The body stays charged to its owner's budget until the response
 * is sent or the connection closes.
 */
export async function receiveCharged(
  budget: BodyBudget,
  context: RequestContext<AuthenticatedState>,
): Promise<Buffer> {
  const { state } = context;
  state.received ??= await receive(budget, context);
  return state.received;
}

async function receive(budget: BodyBudget, context: RequestContext<AuthenticatedState>): Promise<Buffer> {
  const { req, state } = context;
  if (req.complete && req.readableLength === 0) return receiveBody(req, state.reception);
  if (expectsContinue(req) && !req.complete) askForBody(context);
  // Without a charge the bytes are counted and discarded.
  const charge = isClosed(context) ? undefined : budget.open(ownerOf(state.authenticated));
  if (charge !== undefined) whenClosed(context, () => charge.release());
  return receiveBody(req, { ...state.reception, charge });
}
