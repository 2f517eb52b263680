import type { Gateway } from '../http/application.ts';
import type { RequestContext } from '../http/middleware/state.ts';
import { checkContentHeaders } from '../http/request/content-headers.ts';
import { requestData, type SentData } from '../http/request/parse-json.ts';
import { declaredBytes, expectsContinue, receiveBody } from '../http/request/receive-body.ts';
import { sendContinue, whenFinished } from '../http/response/streaming-writer.ts';

const maxMebibytes = 1;

/** Receives and parses the body of a request without a caller. These requests share one share of the body budget. */
export async function sentData(
  { bodyBudget, bodyWithinMs: withinMs }: Pick<Gateway, 'bodyBudget' | 'bodyWithinMs'>,
  context: RequestContext,
): Promise<SentData> {
  const { req } = context;
  declaredBytes(req, maxMebibytes);
  if (expectsContinue(req) && !req.complete) sendContinue(context);
  const charge = bodyBudget.open('console/sign-in');
  whenFinished(context, () => charge.release());
  const received = await receiveBody(req, {
    maxMebibytes,
    withinMs,
    deadline: performance.now() + withinMs,
    charge,
  });
  context.state.bytes = received.length;
  if (received.length > 0) checkContentHeaders(context.headers);
  return requestData(received);
}
