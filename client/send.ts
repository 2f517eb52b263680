import { StewardError, type ErrorStatus } from './steward-error.ts';

export interface Request {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: object;
  readonly signal: AbortSignal | undefined;
}

interface Envelope {
  readonly result?: object;
  readonly error?: {
    readonly status: ErrorStatus;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>> & { readonly requestId?: string };
  };
}

/** Sends one request; returns `result`, the body if it has no envelope, or the `text` of an export. Throws a StewardError or the signal's reason. */
export async function send(request: Request): Promise<object> {
  const { response, text } = await exchange(request);
  if (response.ok && isExport(response)) return { text };
  const { result, error, ...body } = envelopeOf(text);
  if (response.ok && result !== undefined) return result;
  if (response.status === accepted && 'statusCode' in body) return body;
  const { status: httpStatus, headers } = response;
  throw new StewardError({
    status: error?.status ?? statusOf(httpStatus),
    message: error?.message ?? `${request.url} returned ${String(httpStatus)} without an error message.`,
    details: error?.details ?? {},
    httpStatus,
    requestId: error?.details?.requestId ?? headers.get('x-request-id') ?? '',
    retryAfter: secondsOf(headers.get('retry-after')),
  });
}

/** The only status whose body has no envelope. */
const accepted = 202;

const isExport = ({ headers }: Response): boolean =>
  ['application/x-ndjson', 'text/csv'].some((type) => headers.get('content-type')?.startsWith(type));

async function exchange({
  url,
  headers,
  data,
  signal,
}: Request): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ data }),
      // A redirect must not carry the credentials elsewhere, and the API uses no cookies.
      redirect: 'error',
      credentials: 'omit',
      signal: signal ?? null,
    });
    return { response, text: await response.text() };
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    const message = `No response from ${url}.`;
    throw new StewardError(
      { status: 'UNAVAILABLE', message, details: {}, httpStatus: 0, requestId: '' },
      cause,
    );
  }
}

function envelopeOf(text: string): Envelope {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

/** For responses of a proxy, which have no envelope. */
const statusOf = (httpStatus: number): ErrorStatus =>
  httpStatus === 429
    ? 'RESOURCE_EXHAUSTED'
    : [502, 503, 504].includes(httpStatus)
      ? 'UNAVAILABLE'
      : 'INTERNAL';

function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}
