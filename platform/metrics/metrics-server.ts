import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { sharedCalls } from '../process/single-flight.ts';

/** The response of a page. */
export interface PageResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Pages by path. May grow while the server runs. */
export type Pages = ReadonlyMap<string, () => Promise<PageResponse>>;

/** A listening server. */
export interface PagesServer {
  readonly port: number;
  close(): Promise<void>;
}

const limits = {
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 8_192,
} as const;

/** Scrapers and health checks keep a connection each. */
const maxConnections = 50;

/**
 * Serves GET and HEAD requests of pages for operators. Concurrent requests for a page share one response. Rejects when
 * it cannot listen.
 */
export async function servePages(port: number, host: string, pages: Pages): Promise<PagesServer> {
  const shared = sharedCalls<PageResponse>();
  const server = createServer(limits, (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const page = pages.get(path);
    if (page === undefined) return respond(request, response, plain(404, 'Unknown path.'));
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return respond(request, response, plain(405, 'Use GET.'));
    }
    shared(path, page).then(
      (result) => respond(request, response, result),
      () => respond(request, response, plain(500, 'The page could not be rendered.')),
    );
  });
  server.maxConnections = maxConnections;
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const plain = (status: number, body: string): PageResponse => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  body: `${body}\n`,
});

function respond(request: IncomingMessage, response: ServerResponse, result: PageResponse): void {
  // The body of a request is never read.
  if (request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined)
    response.setHeader('Connection', 'close');
  response.writeHead(result.status, {
    'Content-Type': result.contentType,
    'Content-Length': Buffer.byteLength(result.body),
    'Cache-Control': 'no-store',
  });
  response.end(request.method === 'HEAD' ? undefined : result.body);
}
