import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';

/** A request that a fake provider received. */
export interface ProviderCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * A response of a fake provider; `'drop'` closes the connection instead. A `content-length` above the length of the body
 * closes it within the body.
 */
export type ProviderReply =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string | string[]>>;
      readonly body?: string;
    }
  | 'drop';

/** A local HTTP API that stands for SendGrid's or Slack's. */
export interface FakeProvider {
  readonly url: string;
  readonly calls: readonly ProviderCall[];
  /** Sets the response of later calls. */
  reply(reply: (call: ProviderCall) => ProviderReply): void;
  readonly close: () => Promise<void>;
}

export async function aFakeProvider(initial: ProviderReply): Promise<FakeProvider> {
  const calls: ProviderCall[] = [];
  let replyTo: (call: ProviderCall) => ProviderReply = () => initial;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const call = { path: request.url ?? '', headers: request.headers, body };
      calls.push(call);
      const reply = replyTo(call);
      if (reply === 'drop') request.socket.destroy();
      else if (Number(reply.headers?.['content-length']) > Buffer.byteLength(reply.body ?? ''))
        response
          .writeHead(reply.status, reply.headers)
          .write(reply.body ?? '', () => request.socket.destroy());
      else response.writeHead(reply.status, reply.headers).end(reply.body ?? '');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    calls,
    reply: (reply) => {
      replyTo = reply;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
