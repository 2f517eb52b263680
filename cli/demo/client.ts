import { setTimeout as pause } from 'node:timers/promises';
import type { DemoFile } from '../../platform/local/demo-file.ts';

/** What `result` holds. */
export interface Result<Data> {
  readonly message: string;
  readonly data: Data;
  readonly failedCount?: number;
  readonly nextPageToken?: string;
}

/** What `error` holds. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(path: string, error: { status: string; message: string; details?: Record<string, unknown> }) {
    super(`${path} answered ${error.status}: ${error.message}`);
    this.status = error.status;
    this.details = error.details ?? {};
  }
}

/** One call over HTTP with the demo key; throws Refused. A call over the rate limit waits and comes again, as clients should. */
export type Call = <Data = unknown>(path: string, data: object) => Promise<Result<Data>>;

interface Envelope<Data> {
  readonly result?: Result<Data>;
  readonly error?: { status: string; message: string; details?: Record<string, unknown> };
}

export function connect({ baseUrl, apiKey, authToken }: DemoFile, signal: AbortSignal): Call {
  const headers = {
    'content-type': 'application/json',
    'x-svc-api-key': apiKey,
    'x-svc-auth-token': authToken,
  };
  return async <Data>(path: string, data: object): Promise<Result<Data>> => {
    for (;;) {
      const response = await fetch(`${baseUrl}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ data }),
        signal,
      });
      const { result, error } = (await response.json()) as Envelope<Data>;
      if (result !== undefined) return result;
      if (error === undefined)
        throw new Error(`${path} answered ${String(response.status)} without a reason.`);
      if (response.status !== 429) throw new Refused(path, error);
      await pause(1_000 * Number(response.headers.get('retry-after') ?? 1), undefined, { signal });
    }
  };
}

/** For a batch whose every item must succeed. */
export async function allDone(call: Call, path: string, data: object): Promise<void> {
  const { failedCount, data: items } = await call(path, data);
  if (failedCount !== 0) throw new Error(`${path} failed for some items: ${JSON.stringify(items)}`);
}

/** Throws with this sentence unless it is so. */
export function proven(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new Error(otherwise);
}
