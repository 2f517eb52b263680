import { errorOf, type ErrorStatus, type StewardError } from './errors.ts';

/** The HTTP response whose body has no envelope: work was accepted and continues. */
const accepted = 202;

/** Members may have any type in a response of another server. */
interface Body {
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Returns `result`, or the whole body of an accepted call. Throws a StewardError. */
export async function resultOf(response: Response): Promise<unknown> {
  const body = parsed(await response.text());
  if (response.ok && body?.result !== undefined) return body.result;
  if (response.status === accepted && body !== undefined) return body;
  throw failureOf(response, body);
}

/** Returns the body of a response without an envelope. Throws a StewardError. */
export async function jsonOf<Body>(response: Response): Promise<Body> {
  const body = parsed(await response.text());
  if (response.ok && body !== undefined) return body as Body;
  throw failureOf(response, body);
}

/** Returns the body of an export, which the caller reads or cancels; `end` is called then. Throws a StewardError. */
export async function streamOf(response: Response, end: () => void): Promise<ReadableStream<Uint8Array>> {
  if (response.ok && response.body !== null) return endedBy(response.body, end);
  throw failureOf(response, parsed(await response.text()));
}

/** Passes on a stream, read no further than its reader has. Calls `end` once it is complete, canceled or failed. */
function endedBy(body: ReadableStream<Uint8Array>, end: () => void): ReadableStream<Uint8Array> {
  // Unlocked until it is read: the runtime may cancel a body that nobody reads.
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await (reader ??= body.getReader()).read();
          if (!done) return controller.enqueue(value);
          end();
          controller.close();
        } catch (error) {
          end();
          throw error;
        }
      },
      cancel(reason) {
        end();
        return (reader ?? body).cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function parsed(text: string): Body | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

function failureOf({ status: httpStatus, headers }: Response, body: Body | undefined): StewardError {
  const error = membersOf(body?.error);
  const details = membersOf(error['details']);
  return errorOf({
    status: textOf(error['status']) ?? statusOf(httpStatus),
    message: textOf(error['message']) ?? withoutEnvelope(httpStatus),
    details,
    httpStatus,
    requestId: textOf(details['requestId']) ?? headers.get('x-request-id') ?? '',
    retryAfter: secondsOf(headers.get('retry-after')),
  });
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/* A response without an envelope is that of a proxy or of another server. */

const withoutEnvelope = (httpStatus: number): string =>
  `The response of HTTP status ${String(httpStatus)} is not one of Steward: check baseUrl and the proxies before it.`;

const statuses: Readonly<Record<number, ErrorStatus>> = {
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'UNAVAILABLE',
};

const statusOf = (httpStatus: number): string => statuses[httpStatus] ?? 'UNKNOWN';

/** Reads Retry-After: a number of seconds, or a date as some proxies send it. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1_000);
}
