import { Counter, Histogram, type Registry } from 'prom-client';
import { durationBuckets } from '../../platform/metrics/process-metrics.ts';
import type { Endpoint } from './endpoint.ts';
import type { RefusalKind } from './response/transport-error.ts';

/** Counts the requests of one API process, and measures their duration. */
export class RequestMetrics {
  readonly #requests: Counter<'operation' | 'status'>;
  readonly #durations: Histogram<'operation'>;
  readonly #refusals: Counter<'kind'>;
  /** Paths of operations to the `/v2` path of the same operation. */
  readonly #durationNames: ReadonlyMap<string, string>;

  constructor(registry: Registry, endpoints: readonly Pick<Endpoint, 'paths'>[]) {
    this.#durationNames = new Map(
      endpoints.flatMap(({ paths }) => paths.map((path) => [path, paths.at(-1) ?? path])),
    );
    const registers = [registry];
    this.#requests = new Counter({
      name: 'steward_api_requests_total',
      help: 'Requests by operation and HTTP status.',
      labelNames: ['operation', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'steward_api_request_duration_seconds',
      help: 'Time from the head of a request to its complete response, by operation; v1 counts as v2.',
      labelNames: ['operation'],
      buckets: [...durationBuckets],
      registers,
    });
    this.#refusals = new Counter({
      name: 'steward_api_refusals_total',
      help: 'Requests refused before or instead of their operation, by reason.',
      labelNames: ['kind'],
      registers,
    });
  }

  /**
   * Records a request whose response is complete. `operation`: the path of an operation or a page, or `unknown`, never a path
   * as sent. `seconds` is undefined for a request that never reached the application.
   */
  record(operation: string, status: number, seconds?: number, refusal?: RefusalKind): void {
    this.#requests.inc({ operation, status });
    if (seconds !== undefined)
      this.#durations.observe({ operation: this.#durationNames.get(operation) ?? operation }, seconds);
    if (refusal !== undefined) this.refused(refusal);
  }

  refused(kind: RefusalKind): void {
    this.#refusals.inc({ kind });
  }
}
