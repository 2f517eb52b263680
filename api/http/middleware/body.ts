import type { IncomingHttpHeaders } from 'node:http';
import { freeBytes } from '../../../platform/bytes/collected-bytes.ts';
import type { BodyBudget } from '../request/body-budget.ts';
import { checkContentHeaders } from '../request/content-headers.ts';
import { requestData, type SentData } from '../request/parse-json.ts';
import { receiveCharged } from '../request/receive-charged.ts';
import type { Identify, ReceivedState, RequestMiddleware } from './state.ts';

/** Credentials are checked again when the body took longer to arrive, because they may have been reset meanwhile. */
const credentialsFreshMs = 1_000;

/** Receives and parses the body. Rejects a body that is not JSON or has no object in `data`. */
export function body(
  { bodyBudget }: { readonly bodyBudget: BodyBudget },
  identify: Identify,
): RequestMiddleware<ReceivedState> {
  return async function body(context, next) {
    const { headers, state } = context;
    const received = await receiveCharged(bodyBudget, context);
    if (performance.now() - state.authenticatedAt >= credentialsFreshMs) {
      state.authenticated = await identify(context);
      state.authenticatedAt = performance.now();
    }
    state.bytes = received.length;
    state.sent = await parsed(received, headers);
    await next();
  };
}

/** Frees the body once it is parsed. */
async function parsed(received: Buffer, headers: IncomingHttpHeaders): Promise<SentData> {
  try {
    if (received.length > 0) checkContentHeaders(headers);
    return await requestData(received);
  } finally {
    freeBytes(received);
  }
}
