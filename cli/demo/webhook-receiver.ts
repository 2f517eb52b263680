import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { webhooks, WebhookVerificationError } from '../../packages/client/source/steward.ts';

/** A received webhook. */
export interface ReceivedEvent {
  /** The same for all attempts, so that receivers can deduplicate. */
  readonly webhookId: string;
  readonly event: string;
  readonly sequence: number | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A customer's server: accepts signed messages and rejects others. */
export interface Receiver {
  readonly url: string;
  /** Sets the endpoint's secret, which is known after its creation. */
  trust(secret: string): void;
  /** By webhook-id, in order of arrival. */
  readonly events: ReadonlyMap<string, ReceivedEvent>;
  /** The number of repeated messages. */
  readonly repeated: () => number;
  readonly refused: () => number;
  /** Calls `look` after each arrival until it returns a value; rejects after `milliseconds`, or when it is canceled. */
  until<Found>(look: () => Found | undefined, milliseconds: number): Promise<Found>;
  stop(): Promise<void>;
}

/** `signal` cancels waits for events. */
export async function startReceiver(signal?: AbortSignal): Promise<Receiver> {
  const events = new Map<string, ReceivedEvent>();
  const waiting = new Set<() => void>();
  let secret = '';
  let [repeated, refused] = [0, 0];
  const server = createServer((request, response) => {
    const taken = verified(request, secret).then((event) => {
      if (event === undefined) {
        refused += 1;
        response.writeHead(401).end();
        return;
      }
      if (events.has(event.webhookId)) repeated += 1;
      events.set(event.webhookId, event);
      response.writeHead(204).end();
      for (const look of waiting) look();
    });
    // A sender that ends the connection within its request must not end the process.
    taken.catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/steward`,
    trust: (known) => (secret = known),
    events,
    repeated: () => repeated,
    refused: () => refused,
    until: (look, milliseconds) => lookAgain(look, waiting, { milliseconds, signal }),
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Undefined for a message that is not signed with the secret, and for every message before the secret is known. */
async function verified(request: IncomingMessage, secret: string): Promise<ReceivedEvent | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (secret === '') return undefined;
  try {
    return (await webhooks.verify(Buffer.concat(chunks), request.headers, secret)) as ReceivedEvent;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return undefined;
    throw error;
  }
}

function lookAgain<Found>(
  look: () => Found | undefined,
  waiting: Set<() => void>,
  { milliseconds, signal }: { readonly milliseconds: number; readonly signal: AbortSignal | undefined },
): Promise<Found> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      waiting.delete(again);
      signal?.removeEventListener('abort', cancel);
    };
    const again = (): void => {
      const found = look();
      if (found === undefined) return;
      end();
      resolve(found);
    };
    const cancel = (): void => {
      end();
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      end();
      reject(new Error(`Not all events arrived within ${String(milliseconds / 1_000)} s.`));
    }, milliseconds);
    waiting.add(again);
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted === true) cancel();
    else again();
  });
}
