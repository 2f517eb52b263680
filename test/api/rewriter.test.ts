import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { askAi } from '../../api/rewriter/ask-ai.ts';
import {
  aiProviders,
  responding,
  inTurn,
  providersOwnWords,
  refusing,
  saying,
  withProviderKeys,
  type Behaviour,
  type TestProviders,
} from '../support/ai-providers.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { issuesOf, type Response, type CallOptions } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { anOperator, aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { expectRecorded } from '../support/response-examples.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { aNamespace } from '../support/temporal.ts';

const path = '/v2/rewriter/ask-ai';
const prompt = 'Make it friendlier.';
const text = 'Send me the plan.';
const providerKey = 'sk-of-the-tests';

let providers: TestProviders;
let api: TestApi;
let worker: TestProcess;
let tenant: TestTenant;

beforeAll(async () => {
  providers = await aiProviders();
  const temporal = await aNamespace();
  api = await startTestApi({ environment: temporal });
  worker = await startProcess('worker', api.database.url, { ...temporal, ...providers.environment });
  tenant = await withProviderKeys(await aTenant(api), providerKey);
});

afterAll(async () => {
  await worker.stop();
  await api.close();
  await providers.close();
});

beforeEach(() => providers.behave(saying('Would you send me the plan?')));

const ask = async (model = 'gpt-4o', options?: CallOptions): Promise<Response> =>
  tenant.call(path, { model, prompt, text }, options);

/** Status, header and result, which for this operation has no envelope of its own. */
const seen = ({ status, headers, body }: Response) => ({
  status,
  provider: headers['x-provider-status'],
  result: body.result as unknown,
});

const failed = (provider: string, code: string, error: string) => ({
  status: 200,
  provider,
  result: { success: false, error, code },
});

const stagedRows = async (): Promise<number> =>
  (await api.database.sql('select 1 from staged_request')).length;

const models = [
  ['gpt-4o', 'openai', 'OpenAI'],
  ['claude-sonnet-4-5', 'anthropic', 'Anthropic'],
  ['gemini-2.5-flash', 'gemini', 'Gemini'],
] as const;

describe('a text', () => {
  it('is rewritten as the reference shows', async () => {
    const { example } = askAi;
    expectRecorded({ endpoint: askAi, ids: {}, sent: example, response: await tenant.call(path, example) });
  });

  it.each(models)('is rewritten by the provider of %s', async (model, provider, _name) => {
    expect(seen(await ask(model))).toEqual({
      status: 200,
      provider: '200',
      result: {
        success: true,
        text: 'Would you send me the plan?',
        model,
        provider,
        attempts: 1,
        usage: { inputTokens: 11, outputTokens: 7 },
      },
    });
    expect(providers.received.map((call) => call.provider)).toEqual([provider]);
    expect(await stagedRows()).toBe(0);
  });

  it('goes to each provider in its own form, the prompt apart', async () => {
    for (const [model] of models) await ask(model);
    expect(providers.received).toMatchObject([
      {
        path: '/openai/v1/chat/completions',
        headers: { authorization: `Bearer ${providerKey}` },
        body: {
          model: 'gpt-4o',
          messages: [
            { role: 'system', content: prompt },
            { role: 'user', content: text },
          ],
        },
      },
      {
        path: '/anthropic/v1/messages',
        headers: { 'x-api-key': providerKey },
        body: {
          model: 'claude-sonnet-4-5',
          system: [{ type: 'text', text: prompt }],
          messages: [{ role: 'user', content: [{ type: 'text', text }] }],
        },
      },
      {
        path: '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
        headers: { 'x-goog-api-key': providerKey },
        body: {
          systemInstruction: { parts: [{ text: prompt }] },
          contents: [{ role: 'user', parts: [{ text }] }],
        },
      },
    ]);
    for (const { body } of providers.received) expect(body['stream']).toBeUndefined();
  });

  it.each(['o1', 'o1-mini', 'o3', 'o3-pro', 'o4', 'o4-mini'])(
    'goes to %s in one user message, prompt, two line feeds, text',
    async (model) => {
      expect(seen(await ask(model)).result).toMatchObject({ success: true, model, provider: 'openai' });
      expect(providers.received).toHaveLength(1);
      const messages = [{ role: 'user', content: `${prompt}\n\n${text}` }];
      expect(providers.received[0]?.body).toMatchObject({ model, messages });
    },
  );

  it.each(['gpt4', 'GPT-4o', 'o1x', 'o2', 'o', 'claude', 'xclaude-1', 'gemini', '__proto__'])(
    'goes nowhere for the model %s, which no provider has',
    async (model) => {
      expect(seen(await ask(model))).toEqual(
        failed('unknown-model', 'unknown-model', `No provider for model: ${model}`),
      );
      expect([providers.received.length, await stagedRows()]).toEqual([0, 0]);
    },
  );

  it.each(models)('goes nowhere without a key of the provider of %s', async (model, _id, name) => {
    const keyless = await aTenant(api);
    expect(seen(await keyless.call(path, { model, prompt, text }))).toEqual(
      failed('no-key', 'no-key', `No API key configured for provider: ${name}`),
    );
    expect(providers.received).toEqual([]);
  });

  it('may be 100,000 characters of any script, and so may its prompt', async () => {
    const long = { model: 'gpt-4o', prompt: '指'.repeat(100_000), text: '示'.repeat(100_000) };
    expect((await tenant.call(path, long)).status).toBe(200);
    expect(providers.received[0]?.body).toMatchObject({
      messages: [{ content: long.prompt }, { content: long.text }],
    });
  });
});

describe('a malformed request', () => {
  it('is refused with all of its issues, and asks nobody', async () => {
    const refused = async (data: object) => issuesOf(await tenant.refused(path, data));
    expect(await refused({})).toEqual({
      'data.model': 'model is required.',
      'data.prompt': 'prompt is required.',
      'data.text': 'text is required.',
    });
    expect(await refused({ model: '', prompt: '', text: '' })).toEqual({
      'data.model': 'model must be 1 to 100 of the characters A-Z a-z 0-9 . _ : -.',
      'data.prompt': 'prompt must not be empty.',
      'data.text': 'text must not be empty.',
    });
    const long = 'x'.repeat(100_001);
    expect(await refused({ model: 'm'.repeat(101), prompt: long, text: long })).toEqual({
      'data.model': 'model must be 1 to 100 of the characters A-Z a-z 0-9 . _ : -.',
      'data.prompt': 'prompt must be at most 100000 characters.',
      'data.text': 'text must be at most 100000 characters.',
    });
    expect(await refused({ model: 'gpt-4o/../x', prompt, text: 7, tone: 'kind' })).toEqual({
      'data.model': 'model must be 1 to 100 of the characters A-Z a-z 0-9 . _ : -.',
      'data.text': 'text must be a string.',
      'data.tone': 'Unknown member: tone.',
    });
    expect(providers.received).toEqual([]);
  });
});

/** Ends the connection after the head and a part of the body. */
const cutInTheMiddle: Behaviour = (_call, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"id":"chatcmpl-1","choices":[{"message":{"content":"Would', () => response.destroy());
};

const hangUp: Behaviour = (_call, response) => void response.destroy();

describe('what goes wrong in passing', () => {
  const good = saying('At last.');

  it.each<[string, Behaviour]>([
    ['500 and 503', inTurn(refusing(500, 'server_error'), refusing(503, 'overloaded'), good)],
    ['529', inTurn(refusing(529, 'overloaded_error'), refusing(529, 'overloaded_error'), good)],
    ['answers cut in the middle', inTurn(cutInTheMiddle, cutInTheMiddle, good)],
    ['connections that break', inTurn(hangUp, hangUp, good)],
    ['408', inTurn(refusing(408, 'timeout'), refusing(408, 'timeout'), good)],
  ])('is tried again: %s twice, then a text', async (_what, behaviour) => {
    providers.behave(behaviour);
    expect(seen(await ask())).toMatchObject({
      provider: '200',
      result: { success: true, text: 'At last.', attempts: 3 },
    });
    expect(providers.received).toHaveLength(3);
  });

  it.each([
    ['seconds', () => '2'],
    ['a date', () => new Date(Date.now() + 3_000).toUTCString()],
  ])('is not tried again before Retry-After, in %s', async (_form, retryAfter) => {
    const tooMany: Behaviour = (...call) =>
      refusing(429, 'rate_limit_exceeded', { 'retry-after': retryAfter() })(...call);
    providers.behave(inTurn(tooMany, good));
    expect(seen(await ask()).result).toMatchObject({ success: true, attempts: 2 });
    const [first, second] = providers.received;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_990);
  });

  it('is told at once when Retry-After is longer than anyone waits', async () => {
    providers.behave(refusing(429, 'insufficient_quota', { 'retry-after': '3600' }));
    expect(seen(await ask())).toEqual(
      failed('429', 'rate-limited', 'OpenAI request failed: 429 insufficient_quota'),
    );
    expect(providers.received).toHaveLength(1);
  });

  it.each<[string, Behaviour, ReturnType<typeof failed>]>([
    [
      '500',
      refusing(500, 'server_error'),
      failed('500', 'unavailable', 'OpenAI request failed: 500 server_error'),
    ],
    [
      '429',
      refusing(429, 'rate_limit_exceeded'),
      failed('429', 'rate-limited', 'OpenAI request failed: 429 rate_limit_exceeded'),
    ],
    [
      'a broken connection',
      hangUp,
      failed('unavailable', 'unavailable', 'OpenAI request failed: connection_failed'),
    ],
    [
      'a page of a proxy',
      (_call, response) => void response.writeHead(502).end('<html>Bad gateway</html>'),
      failed('502', 'unavailable', 'OpenAI request failed: 502'),
    ],
  ])('and does so three times is told: %s', async (_what, behaviour, expected) => {
    providers.behave(behaviour);
    expect(seen(await ask())).toEqual(expected);
    expect(providers.received).toHaveLength(3);
  });
});

const chatCompletion = (choice: object): Behaviour =>
  responding({ id: 'x', object: 'chat.completion', created: 1, model: 'gpt-4o', choices: [choice] });

describe('a text that is long', () => {
  it('is answered as far as the model went, and said to be cut', async () => {
    providers.behave(
      chatCompletion({
        index: 0,
        message: { role: 'assistant', content: 'Would you send' },
        finish_reason: 'length',
      }),
    );
    expect(seen(await ask()).result).toMatchObject({
      success: true,
      text: 'Would you send',
      truncated: true,
    });
  });
});

describe('what goes wrong for good', () => {
  it.each(models)('is not tried again: 401 and 400 of %s', async (model, _id, name) => {
    for (const [status, code] of [
      [401, 'authentication_error'],
      [400, 'INVALID_ARGUMENT'],
      [403, 'permission_error'],
      [404, 'model_not_found'],
    ] as const) {
      providers.behave(refusing(status, code));
      expect(seen(await ask(model))).toEqual(
        failed(String(status), 'refused', `${name} request failed: ${String(status)} ${code}`),
      );
      expect(providers.received).toHaveLength(1);
    }
  });

  it.each<[string, Behaviour, ReturnType<typeof failed>]>([
    ['no text', saying(''), failed('200', 'empty', 'OpenAI returned no text')],
    ['white space', saying(' \n'), failed('200', 'empty', 'OpenAI returned no text')],
    [
      'another form of JSON',
      responding({ response: 'Yes.' }),
      failed('200', 'unavailable', 'OpenAI request failed: 200 invalid_answer'),
    ],
    [
      'no JSON',
      (_call, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"id'),
      failed('200', 'unavailable', 'OpenAI request failed: 200 invalid_answer'),
    ],
    [
      'an empty answer',
      (_call, response) => void response.writeHead(204).end(),
      failed('204', 'unavailable', 'OpenAI request failed: 204 invalid_answer'),
    ],
    [
      'another address',
      (_call, response) => void response.writeHead(307, { location: '/openai/v1/elsewhere' }).end(),
      failed('307', 'unavailable', 'OpenAI request failed: 307 redirect'),
    ],
    [
      'a refusal in words',
      chatCompletion({
        index: 0,
        message: { role: 'assistant', content: null, refusal: 'I will not.' },
        finish_reason: 'stop',
      }),
      failed('200', 'refused', 'OpenAI request failed: 200 content_filter'),
    ],
    [
      'a filter',
      chatCompletion({
        index: 0,
        message: { role: 'assistant', content: '' },
        finish_reason: 'content_filter',
      }),
      failed('200', 'refused', 'OpenAI request failed: 200 content_filter'),
    ],
    [
      'a code that is a text',
      refusing(400, 'Your key sk-of-the-tests is wrong'),
      failed('400', 'refused', 'OpenAI request failed: 400 invalid_request_error'),
    ],
  ])('is told after one call: %s', async (_what, behaviour, expected) => {
    providers.behave(behaviour);
    expect(seen(await ask())).toEqual(expected);
    expect(providers.received).toHaveLength(1);
  });

  it('is a prompt that Gemini blocks', async () => {
    providers.behave(responding({ promptFeedback: { blockReason: 'SAFETY' } }));
    expect(seen(await ask('gemini-2.5-flash'))).toEqual(
      failed('200', 'refused', 'Gemini request failed: 200 content_filter'),
    );
  });

  it('is an answer of 50 MB, of which no more is taken than what is on its way already', async () => {
    let sent = 0;
    providers.behave((_call, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"id":"');
      const part = 'x'.repeat(65_536);
      const more = (): void => {
        while (sent < 50_000_000) {
          sent += part.length;
          if (!response.write(part)) return void response.once('drain', more);
        }
        response.end('"}');
      };
      more();
    });
    expect(seen(await ask())).toEqual(
      failed('200', 'unavailable', 'OpenAI request failed: 200 answer_too_large'),
    );
    expect(providers.received).toHaveLength(1);
    await eventually(() => providers.received[0]?.givenUp === true);
    expect(sent).toBeLessThan(25_000_000);
  });

  it('is a key that no header can carry', async () => {
    const strange = await withProviderKeys(await aTenant(api), 'sk-ключ');
    expect(seen(await strange.call(path, { model: 'gpt-4o', prompt, text }))).toEqual(
      failed('refused', 'refused', 'OpenAI request failed: invalid_api_key'),
    );
  });
});

describe('counts of tokens', () => {
  it.each<[string, Behaviour]>([
    ['missing', chatCompletion({ index: 0, message: { content: 'Fine.' }, finish_reason: 'stop' })],
    ['negative', saying('Fine.', [-1, 7])],
    ['broken', saying('Fine.', [1.5, 7])],
  ])('that are none are left out: %s', async (_what, behaviour) => {
    providers.behave(behaviour);
    expect(seen(await ask()).result).toEqual({
      success: true,
      text: 'Fine.',
      model: 'gpt-4o',
      provider: 'openai',
      attempts: 1,
    });
  });
});

describe('the usage of a key', () => {
  it('counts every call to a provider, and the tokens that it reports', async () => {
    const { keyId, ...other } = await withProviderKeys(await aTenant(api), providerKey);
    providers.behave(inTurn(refusing(500, 'server_error'), saying('Thank you.', [100, 20])));
    await other.ok(path, { model: 'gpt-4o', prompt, text });
    await other.ok(path, { model: 'unknown', prompt, text });
    await eventually(async () => {
      const { data } = await anOperator(api).ok<object[]>('/v2/operator/usage/get', { keyId });
      expect(data).toMatchObject([{ requests: 3, aiCalls: 2, aiInputTokens: 100, aiOutputTokens: 20 }]);
    });
  });
});

describe('the limit of concurrent calls of a key', () => {
  it('delays its further calls, and not those of other keys', async () => {
    const limited = await withProviderKeys(await aTenant(api), providerKey);
    await anOperator(api).ok('/v2/operator/limits/update', { keyId: limited.keyId, aiConcurrency: 1 });
    const held: (() => void)[] = [];
    providers.behave((...call) => {
      if (JSON.stringify(call[0].body).includes('held')) held.push(() => void saying('Done.')(...call));
      else void saying('Done.')(...call);
    });
    const asked = async (client: TestTenant, sent: string) =>
      client.ok(path, { model: 'gpt-4o', prompt, text: sent });
    const calls = [asked(limited, 'held'), asked(limited, 'held')];
    await eventually(() => held.length === 1);
    await asked(tenant, 'free');
    expect(held).toHaveLength(1);
    held[0]?.();
    await eventually(() => held.length === 2);
    held[1]?.();
    await Promise.all(calls);
  });
});

describe('an Idempotency-Key', () => {
  it('is asked for once, also at the same time, and a text is replayed', async () => {
    let response: (() => void) | undefined;
    providers.behave((...call) => {
      response = () => void saying('Once.')(...call);
    });
    const options = { idempotencyKey: freshId('key') };
    const first = ask('gpt-4o', options);
    await eventually(() => response !== undefined);
    const meanwhile = await ask('gpt-4o', options);
    expect([meanwhile.status, meanwhile.headers['retry-after']]).toEqual([409, '1']);
    response?.();
    const answered = await first;
    expect(seen(answered).result).toMatchObject({ success: true, text: 'Once.' });
    const again = await ask('gpt-4o', options);
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([answered.text, 'true']);
    expect((await ask('gpt-4.1', options)).status).toBe(422);
    expect(providers.received).toHaveLength(1);
  });

  it('does not keep a failure: the same call asks anew', async () => {
    const options = { idempotencyKey: freshId('key') };
    providers.behave(inTurn(refusing(401, 'invalid_api_key'), saying('Now.')));
    expect(seen(await ask('gpt-4o', options)).result).toMatchObject({ success: false });
    const second = await ask('gpt-4o', options);
    expect(second.headers['idempotent-replayed']).toBeUndefined();
    expect(seen(second).result).toMatchObject({ success: true, text: 'Now.', attempts: 1 });
    expect((await ask('gpt-4o', options)).headers['idempotent-replayed']).toBe('true');
    const unknown = { idempotencyKey: freshId('key') };
    await ask('unknown', unknown);
    expect((await ask('unknown', unknown)).headers['idempotent-replayed']).toBeUndefined();
  });

  it('is missing: two identical calls at the same time ask twice', async () => {
    const responses = await Promise.all([ask(), ask()]);
    for (const response of responses) expect(seen(response).result).toMatchObject({ success: true });
    expect(providers.received).toHaveLength(2);
  });
});

describe('nothing of a request', () => {
  it('stands in the logs or, in clear, in the database, not while it runs either', async () => {
    const secrets = [prompt, text, 'A secret answer.', providerKey, providersOwnWords];
    let response: (() => void) | undefined;
    providers.behave((...call) => {
      response = () => void saying('A secret answer.')(...call);
    });
    const asked = ask('gpt-4o', { idempotencyKey: freshId('key') });
    await eventually(() => response !== undefined);
    const everything = async (): Promise<string> => {
      const found = await api.database.sql<{ line: string }>(
        `select t::text || encode(request_enc, 'escape') as line from staged_request t
         union all select t::text || encode(coalesce(response_enc, ''), 'escape') from idempotency t
         union all select t::text || encode(coalesce(secrets_enc, ''), 'escape') from key_config t`,
      );
      return found.map(({ line }) => line).join('\n');
    };
    const before = await everything();
    response?.();
    await asked;
    providers.behave(refusing(500, 'server_error'));
    await ask();
    const after = await everything();
    const logs = [...api.log, ...worker.log].join('\n');
    for (const secret of secrets) {
      expect(before).not.toContain(secret);
      expect(after).not.toContain(secret);
      expect(logs).not.toContain(secret);
    }
  });
});
