import type { Endpoint } from '../../api/http/endpoint.ts';
import { withoutTrailingSlashes } from '../../platform/config/trailing-slashes.ts';
import type { Callers } from './callers.ts';
import { withoutSecrets } from './without-secrets.ts';

/** Max bytes of a response that a model gets. */
export const maxResponseBytes = 65_536;
const maxDurationMs = 60_000;

export interface ApiCall {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly data: object;
  /** Only of operations that write. */
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal;
}

/** A response for a model, without credentials and secrets. */
export interface ApiText {
  readonly failed: boolean;
  readonly text: string;
}

/** Calls an operation once. Never throws for what the API or the network does, only when the signal aborts. */
export async function callApi(callers: Callers, headers: object, call: ApiCall): Promise<ApiText> {
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(maxDurationMs)]);
  try {
    const response = await fetch(withoutTrailingSlashes(callers.apiUrl) + call.path, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...headers,
        ...(call.idempotencyKey !== undefined && { 'Idempotency-Key': call.idempotencyKey }),
      },
      body: JSON.stringify({ data: call.data }),
      // A redirect must not carry the credentials elsewhere.
      redirect: 'error',
      signal,
    });
    const text = await textWithin(response, maxResponseBytes);
    return text === undefined ? tooLarge(call.endpoint, response) : textOf(callers, response, text);
  } catch {
    call.signal.throwIfAborted();
    const text = signal.aborted
      ? `The API did not respond within ${String(maxDurationMs / 1000)} s.`
      : 'No response from the API: check that it runs at STEWARD_API_URL.';
    return { failed: true, text: call.endpoint.mutates ? `${text} ${adviceOnWrite(call)}` : text };
  }
}

/** The advice after a write whose response was lost. Only a repeat under the same key is executed once. */
function adviceOnWrite({ idempotencyKey }: ApiCall): string {
  const advice = 'The call may have been executed: read the records before you repeat it';
  return idempotencyKey === undefined
    ? `${advice}.`
    : `${advice}, or repeat it with the same idempotencyKey.`;
}

/** Reads a body, or stops and returns undefined where it is larger. */
async function textWithin({ body }: Response, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    // Leaving the loop cancels the response.
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function textOf(callers: Callers, response: Response, text: string): ApiText {
  const type = response.headers.get('content-type') ?? '';
  const shown = type.startsWith('application/json') ? withoutSecrets(text) : text;
  return { failed: !response.ok, text: callers.masked(shown) };
}

function tooLarge({ data, mutates }: Endpoint, { ok, status }: Response): ApiText {
  if (mutates) {
    const outcome = ok ? 'The call was executed' : `The call failed with HTTP status ${String(status)}`;
    const limit = `its response is not shown, because it exceeds ${String(maxResponseBytes)} bytes`;
    return { failed: !ok, text: `${outcome}; ${limit}. Do not repeat it: read the records instead.` };
  }
  const limit = `The response exceeds ${String(maxResponseBytes)} bytes, the max of this tool.`;
  return { failed: true, text: `${limit} ${adviceOnRead(data)}` };
}

function adviceOnRead(data: object): string {
  const { shape = {} } = data as { readonly shape?: object };
  if (Object.hasOwn(shape, 'pageSize'))
    return 'Send a smaller pageSize, such as 20, and read on with pageToken.';
  if (Object.hasOwn(shape, 'iterator')) return 'Send a smaller limit, such as 5, and read on with iterator.';
  return 'Send narrower filters or fewer ids.';
}
