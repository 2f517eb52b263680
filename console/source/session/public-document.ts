import { StewardError } from '@steward/client';

/** Reads a JSON document that the API serves without a session. Throws a StewardError. */
export async function readPublic<Content>(path: string, signal: AbortSignal): Promise<Content> {
  const response = await fetch(path, { signal }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw failure(0, 'The API does not respond.', { cause });
  });
  if (!response.ok)
    throw failure(response.status, `${path} was not returned: HTTP status ${String(response.status)}.`, {
      retryAfter: Number(response.headers.get('retry-after') ?? 0),
    });
  return (await response.json()) as Content;
}

const failure = (
  httpStatus: number,
  message: string,
  { cause, retryAfter }: { readonly cause?: unknown; readonly retryAfter?: number },
): StewardError =>
  new StewardError(
    { status: 'UNAVAILABLE', message, details: {}, httpStatus, requestId: '', retryAfter },
    cause,
  );
