import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { choosePort } from '../../local/ports.ts';
import { openMetrics } from '../../platform/metrics/open-metrics.ts';
import { temporalMetrics } from '../../worker/temporal-metrics.ts';
import { eventually } from '../support/eventually.ts';
import { scrape, type Scrape } from '../support/metrics.ts';

/** Scrapes a worker whose SDK serves its metrics by `listener`. Returns the text and the duration in milliseconds. */
async function scrapeBeside(listener: RequestListener): Promise<Scrape & { readonly tookMs: number }> {
  const sdk = createServer(listener).listen(0, '127.0.0.1');
  await once(sdk, 'listening');
  const metricsPort = await choosePort(undefined);
  const { port } = sdk.address() as AddressInfo;
  const metrics = await openMetrics({ metricsPort, host: '127.0.0.1' }, 'worker', temporalMetrics(port));
  try {
    const began = performance.now();
    const scraped = await scrape(metricsPort);
    return { ...scraped, tookMs: performance.now() - began };
  } finally {
    await metrics.close();
    sdk.closeAllConnections();
    sdk.close();
  }
}

const dropped = 'steward_temporal_metrics_dropped';

describe('the metrics of a worker', () => {
  it('contain those of the SDK', async () => {
    // On a slow machine they may take longer than 1 s, and are dropped.
    await eventually(async () => {
      const { value, text } = await scrapeBeside((_, response) => response.end('temporal_x 1\n'));
      expect([value(dropped), value('temporal_x')]).toEqual([0, 1]);
      expect(text).toMatch(/\n# HELP steward_.*\ntemporal_x 1\n$/s);
    });
  });

  it.each([
    ['never responds', () => undefined],
    [
      'never ends its response',
      (_, response) => {
        response.writeHead(200);
        response.write('temporal_x 1\n');
      },
    ],
  ] satisfies [string, RequestListener][])(
    'are served without those of an SDK that %s, about a second later',
    async (_, listener) => {
      const { value, series, tookMs } = await scrapeBeside(listener);
      expect([value(dropped), series.has('temporal_x')]).toEqual([1, false]);
      expect(tookMs).toBeGreaterThan(900);
      expect(tookMs).toBeLessThan(60_000);
    },
  );

  it.each([
    ['fails', (_, response) => response.writeHead(500).end('temporal_x 1\n')],
    ['redirects', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['sends more than 8 MiB', (_, response) => response.end('x'.repeat(9_000_000))],
    ['closes the connection', (request) => request.socket.destroy()],
  ] satisfies [string, RequestListener][])(
    'are served without those of an SDK that %s',
    async (_, listener) => {
      const { value, series } = await scrapeBeside(listener);
      expect([value(dropped), series.has('temporal_x')]).toEqual([1, false]);
    },
  );
});
