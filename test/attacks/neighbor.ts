import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/*
 * Another tenant of an API under attack, in its own process, so that delays of the test's event loop do not count. Its argument is a `NeighborCalls` as JSON. Sends calls one after the other and `called` after each; on a message, sends a `NeighborReport`.
 */

/** The URL of the API, and the calls that the neighbor sends in rotation. */
export interface NeighborCalls {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Opens a connection for each call. */
  readonly reconnects: boolean;
  /** GET without `data`, otherwise POST. */
  readonly requests: readonly { readonly path: string; readonly data?: object }[];
}

/** How the neighbor was served. */
export interface NeighborReport {
  readonly calls: number;
  /** Calls that a caller retries: with 503 or 504, or on a connection that the API closed after `slowMs`. */
  readonly unavailable: number;
  /** Calls without a response, or with one that is neither a success nor one of these. */
  readonly failures: readonly string[];
  readonly slowestMs: number;
  readonly p99Ms: number;
}

const betweenCallsMs = 20;
const callLimitMs = 60_000;
const keptFailures = 10;

/**
 * Attackers take 3 s to open as many connections as the API accepts, each of which may replace the one that has waited
 * longest for its caller's credentials to be read. Only a slow machine lets a neighbor wait that long.
 */
const slowMs = 2_500;

const { url, headers, reconnects, requests } = JSON.parse(process.argv[2] ?? '') as NeighborCalls;
const agent = new Agent({ keepAlive: !reconnects, maxSockets: 1 });
const durations: number[] = [];
const failures: string[] = [];
let unavailable = 0;
const stopping = new AbortController();
process.once('message', () => stopping.abort());

while (!stopping.signal.aborted) {
  const next = requests[durations.length % requests.length];
  if (next === undefined) throw new Error('A neighbor needs something to call.');
  const started = performance.now();
  const outcome = await call(next.path, next.data).catch((error: Error) => error.message);
  const durationMs = performance.now() - started;
  durations.push(durationMs);
  const isReplaced = outcome === 'socket hang up' && reconnects && durationMs > slowMs;
  if (outcome === '503' || outcome === '504' || isReplaced) unavailable += 1;
  else if (outcome !== undefined && failures.length < keptFailures) failures.push(`${next.path}: ${outcome}`);
  process.send?.('called');
  await pause(betweenCallsMs);
}
agent.destroy();
const sorted = durations.toSorted((a, b) => a - b);
const report: NeighborReport = {
  calls: sorted.length,
  unavailable,
  failures,
  slowestMs: sorted.at(-1) ?? 0,
  p99Ms: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
};
process.send?.(report, () => process.disconnect());

/** Returns undefined for a success, otherwise the reason of the failure. */
async function call(path: string, data?: object): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}${path}`,
      {
        method: data === undefined ? 'GET' : 'POST',
        agent,
        timeout: callLimitMs,
        headers: { 'content-type': 'application/json', ...headers },
      },
      (response) => {
        response.on('error', reject);
        response.on('end', () =>
          resolve(response.statusCode === 200 ? undefined : String(response.statusCode)),
        );
        response.resume();
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`no response within ${String(callLimitMs)} ms`)));
    sent.on('error', reject);
    sent.end(data && JSON.stringify({ data }));
  });
}
