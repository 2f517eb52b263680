import type { Registry } from 'prom-client';
import type { ServerConfiguration } from '../config/configuration.ts';
import type { ProcessKind } from '../process/process-kinds.ts';
import { hostFailure } from '../network/listen-failure.ts';
import { recordEventLoopDelay } from './event-loop-delay.ts';
import { servePages, type PageResponse } from './metrics-server.ts';
import { processRegistry } from './process-metrics.ts';

/** The metrics of one process, served at `/metrics` on `METRICS_PORT`. */
export interface Metrics {
  /** Metrics register here. Their labels have bounded values: operation, status, kind, outcome and version. */
  readonly registry: Registry;
  /** Whether the metrics are served: false for `METRICS_PORT=0`. Measurements that cost work depend on it. */
  readonly served: boolean;
  /** Serves a further page on the same port. */
  addPage(path: string, page: () => Promise<PageResponse>): void;
  close(): Promise<void>;
}

/** Opens a source of metrics in text form, appended to the registry's. The source bounds their duration and size. */
export type AppendedText = (registry: Registry) => () => Promise<string>;

/** Opens the metrics of a process. Throws when `METRICS_PORT` cannot be served. */
export async function openMetrics(
  { metricsPort, host }: Pick<ServerConfiguration, 'metricsPort' | 'host'>,
  kind: ProcessKind,
  appendedText?: AppendedText,
): Promise<Metrics> {
  const registry = processRegistry(kind);
  const pages = new Map<string, () => Promise<PageResponse>>();
  const addPage = (path: string, page: () => Promise<PageResponse>) => void pages.set(path, page);
  if (metricsPort === 0) return { registry, served: false, addPage, close: () => Promise.resolve() };
  const readAppended = appendedText?.(registry);
  addPage('/metrics', async () => {
    // First: a metric of the registry reports whether the text arrived in time.
    const appended = (await readAppended?.()) ?? '';
    return { status: 200, contentType: registry.contentType, body: (await registry.metrics()) + appended };
  });
  const server = await servePages(metricsPort, host, pages).catch((error: Error) => {
    const text =
      `Metrics cannot be served on port ${String(metricsPort)} (${error.message}). ` +
      'Choose another port with METRICS_PORT.';
    throw hostFailure(error, host) ?? new Error(text, { cause: error });
  });
  const stopRecording = recordEventLoopDelay(registry);
  return {
    registry,
    served: true,
    addPage,
    close: async () => {
      stopRecording();
      await server.close();
    },
  };
}
