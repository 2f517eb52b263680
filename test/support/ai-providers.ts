import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestTenant } from './factories.ts';

type ProviderName = 'openai' | 'anthropic' | 'gemini';

/** A call as a provider receives it. */
export interface ReceivedCall {
  readonly provider: ProviderName;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
  /** When it came, in milliseconds. */
  readonly at: number;
  /** The connection was closed before there was a response. */
  readonly givenUp: boolean;
}

/** Responds to one call; a call without a response hangs. `number` counts from 1. */
export type Behaviour = (
  call: ReceivedCall,
  response: ServerResponse,
  number: number,
) => void | Promise<void>;

/** OpenAI, Anthropic and Gemini on this machine, one server that speaks the wire form of each and records its requests. */
export interface TestProviders {
  /** The variables by which a worker finds them. */
  readonly environment: Readonly<Record<string, string>>;
  readonly received: readonly ReceivedCall[];
  /** From now on; the count starts again. */
  behave(behaviour: Behaviour): void;
  readonly close: () => Promise<void>;
}

/** A text in the form of the provider that is called. */
export const saying =
  (text: string, tokens: readonly [number, number] = [11, 7]): Behaviour =>
  ({ provider, body }, response) => {
    const [input, output] = tokens;
    const forms = {
      openai: {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1_760_000_000,
        model: body['model'],
        choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
        usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      },
      anthropic: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: body['model'],
        content: text === '' ? [] : [{ type: 'text', text }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: input, output_tokens: output },
      },
      gemini: {
        candidates: [
          {
            content: { role: 'model', parts: text === '' ? [] : [{ text }] },
            finishReason: 'STOP',
            index: 0,
          },
        ],
        usageMetadata: {
          promptTokenCount: input,
          candidatesTokenCount: output,
          totalTokenCount: input + output,
        },
      },
    };
    void responding(forms[provider])({ provider, body } as ReceivedCall, response, 1);
  };

/** Any JSON. */
export const responding =
  (body: object, status = 200): Behaviour =>
  (_call, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

/** A text that must not go further, in errors of every provider. */
export const providersOwnWords = 'Incorrect API key provided: sk-abc. Visit our dashboard.';

/** An error in the form of the provider that is called. */
export const refusing =
  (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  ({ provider }, response) => {
    const message = providersOwnWords;
    const forms = {
      openai: { error: { message, type: 'invalid_request_error', param: null, code } },
      anthropic: { type: 'error', error: { type: code, message }, request_id: 'req_1' },
      gemini: { error: { code: status, message, status: code, details: [] } },
    };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(forms[provider]));
  };

/** Other behaviours in turn; the last one stays. */
export const inTurn =
  (...behaviours: readonly Behaviour[]): Behaviour =>
  (call, response, number) =>
    behaviours[Math.min(number, behaviours.length) - 1]?.(call, response, number);

export async function aiProviders(): Promise<TestProviders> {
  const received: ReceivedCall[] = [];
  let behaviour: Behaviour = saying('Rewritten.');
  let number = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = {
        provider: providerOf(request.url ?? ''),
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>,
        at: Date.now(),
        givenUp: false,
      };
      received.push(call);
      number += 1;
      response.once('close', () => (call.givenUp = !response.writableFinished));
      void behaviour(call, response, number);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    environment: {
      OPENAI_BASE_URL: `${url}/openai/v1`,
      ANTHROPIC_BASE_URL: `${url}/anthropic/v1`,
      GEMINI_BASE_URL: `${url}/gemini/v1beta`,
    },
    received,
    behave: (next) => {
      behaviour = next;
      number = 0;
      received.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function providerOf(path: string): ProviderName {
  const found = (['openai', 'anthropic', 'gemini'] as const).find((name) => path.startsWith(`/${name}/`));
  if (found === undefined) throw new Error(`No provider was asked under ${path}.`);
  return found;
}

/** Gives a tenant a key at each provider. */
export async function withProviderKeys(tenant: TestTenant, key = 'sk-of-the-tests'): Promise<TestTenant> {
  await tenant.ok('/v2/workspace/apikeyconfig/update', {
    aiModelApiKey: ['openai', 'anthropic', 'gemini'].map((provider) => ({ provider, customerApiKey: key })),
  });
  return tenant;
}
