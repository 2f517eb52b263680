import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Gauge } from 'prom-client';
import { boundedFetch } from '../platform/outbound/bounded-fetch.ts';
import type { AppendedText } from '../platform/metrics/open-metrics.ts';

/** Time and size limits of the SDK's text. */
const limits = { withinMs: 1_000, bytes: 8_388_608 } as const;

/** Returns a loopback port that is free now. */
export async function freeLoopbackPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Appends the metrics that Temporal's SDK serves on a loopback port. Drops them when they take longer than 1 s or exceed
 * 8 MiB, and sets `steward_temporal_metrics_dropped`.
 */
export const temporalMetrics =
  (port: number): AppendedText =>
  (registry) => {
    const dropped = new Gauge({
      name: 'steward_temporal_metrics_dropped',
      help: '1 when this response lacks the metrics of the Temporal SDK: reading them failed, took longer than 1 s or exceeded 8 MiB.',
      registers: [registry],
    });
    return async () => {
      const text = await read(port).catch(() => undefined);
      dropped.set(text === undefined ? 1 : 0);
      return text ?? '';
    };
  };

async function read(port: number): Promise<string> {
  const response = await boundedFetch(limits.bytes)(`http://127.0.0.1:${String(port)}/metrics`, {
    signal: AbortSignal.timeout(limits.withinMs),
  });
  if (!response.ok) throw new Error(`HTTP status ${String(response.status)}`);
  return response.text();
}
