import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestTenant } from './factories.ts';

type ProviderName = 'openai' | 'anthropic' | 'gemini';

/** A call that a provider received. */
export interface ReceivedCall {
  readonly provider: ProviderName;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
  /** Time of arrival in milliseconds. */
  readonly at: number;
  /** Whether the connection was closed before a response. */
  readonly givenUp: boolean;
}

/** Responds to one call. A call without a response hangs. `number` begins at 1. */
export type Behavior = (call: ReceivedCall, response: ServerResponse, number: number) => void | Promise<void>;

/** A local server that stands for OpenAI, Anthropic and Gemini: uses the wire format of each and records requests. */
export interface TestProviders {
  /** The variables with the providers' URLs. */
  readonly environment: Readonly<Record<string, string>>;
  readonly received: readonly ReceivedCall[];
  /** Sets the behavior of later calls, and resets their count. */
  behave(behavior: Behavior): void;
  readonly close: () => Promise<void>;
}

/** Responds with a text in the format of the called provider. */
export const saying =
  (text: string, tokens: readonly [number, number] = [11, 7]): Behavior =>
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

/** Responds with any JSON. */
export const responding =
  (body: object, status = 200): Behavior =>
  (_call, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

/** A text in errors of every provider, which Steward must not pass on. */
export const providersOwnWords = 'Incorrect API key provided: sk-abc. Visit our dashboard.';

/** Responds with an error in the format of the called provider. */
export const refusing =
  (status: number, code: string, headers: Readonly<Record<string, string | string[]>> = {}): Behavior =>
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

/** Applies behaviors one after the other and repeats the last one. */
export const inTurn =
  (...behaviors: readonly Behavior[]): Behavior =>
  (call, response, number) =>
    behaviors[Math.min(number, behaviors.length) - 1]?.(call, response, number);

export async function aiProviders(): Promise<TestProviders> {
  const received: ReceivedCall[] = [];
  let behavior: Behavior = saying('Rewritten.');
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
      void behavior(call, response, number);
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
      behavior = next;
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
  if (found === undefined) throw new Error(`No provider was called under ${path}.`);
  return found;
}

/** Configures a tenant with a key of each provider. */
export async function withProviderKeys(tenant: TestTenant, key = 'sk-of-the-tests'): Promise<TestTenant> {
  await tenant.ok('/v2/workspace/apikeyconfig/update', {
    aiModelApiKey: ['openai', 'anthropic', 'gemini'].map((provider) => ({ provider, customerApiKey: key })),
  });
  return tenant;
}
