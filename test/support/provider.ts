import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A check that a permission provider receives. */
export interface ReceivedQuestion {
  readonly userId: string;
  readonly resource: {
    readonly id: string;
    readonly type: string;
    readonly organizationId: string;
    readonly parentFolderId?: string;
  };
}

export interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly method: string | undefined;
  readonly questions: readonly ReceivedQuestion[];
}

/** Responds to one request. A request without a response hangs. */
export type ProviderBehavior = (received: Received, response: ServerResponse) => void | Promise<void>;

/** A customer's permission provider: a local server that records its requests. */
export interface TestProvider {
  readonly url: string;
  readonly received: readonly Received[];
  behave(behavior: ProviderBehavior): void;
  readonly close: () => Promise<void>;
}

/** Responds to each check with the verdict about its user. */
export const judging =
  (verdictOf: (userId: string) => object): ProviderBehavior =>
  ({ questions }, response) => {
    const data = questions.map(({ userId, resource: { id, type, organizationId } }) => ({
      userId,
      resourceId: id,
      type,
      organizationId,
      ...verdictOf(userId),
    }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data }));
  };

/** Responds to every check with the same verdict. */
export const saying = (verdict: object): ProviderBehavior => judging(() => verdict);

/** Grants access to these users, and denies it to all others. */
export const allowing = (...userIds: readonly string[]): ProviderBehavior =>
  judging((userId) => ({ hasAccess: userIds.includes(userId) }));

export const failing =
  (status: number, body = ''): ProviderBehavior =>
  (_received, response) => {
    response.statusCode = status;
    response.end(body);
  };

export async function aProvider(): Promise<TestProvider> {
  const received: Received[] = [];
  let behavior: ProviderBehavior = saying({ hasAccess: true });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
        data: { requests: ReceivedQuestion[] };
      };
      const one = { headers: request.headers, method: request.method, questions: body.data.requests };
      received.push(one);
      void behavior(one, response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/permissions`,
    received,
    behave: (next) => {
      behavior = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
