import { describe, expect, it } from '@jest/globals';
import { askAi } from '../../../api/rewriter/ask-ai.ts';
import { inTurn, providersOwnWords, refusing, saying, withProviderKeys } from '../../support/ai-providers.ts';
import { issuesOf } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { anOperator, aTenant, freshId, type TestTenant } from '../../support/factories.ts';
import { expectRecorded } from '../../support/response-examples.ts';
import {
  rewriterScene,
  path,
  prompt,
  text,
  providerKey,
  models,
  seen,
  failed,
  chatCompletion,
} from './rewriter-scene.ts';

const { api, providers, worker, tenant, ask, stagedRows } = await rewriterScene();

describe('a text', () => {
  it('is rewritten as the API reference shows', async () => {
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

  it('is sent to each provider in its own format, separate from the prompt', async () => {
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
    'is sent to %s in one user message: prompt, two line feeds, text',
    async (model) => {
      expect(seen(await ask(model)).result).toMatchObject({ success: true, model, provider: 'openai' });
      expect(providers.received).toHaveLength(1);
      const messages = [{ role: 'user', content: `${prompt}\n\n${text}` }];
      expect(providers.received[0]?.body).toMatchObject({ model, messages });
    },
  );

  it.each(['gpt4', 'GPT-4o', 'o1x', 'o2', 'o', 'claude', 'xclaude-1', 'gemini', '__proto__'])(
    'is sent to no provider for the unknown model %s',
    async (model) => {
      expect(seen(await ask(model))).toEqual(
        failed('unknown-model', 'unknown-model', `No provider for model: ${model}`),
      );
      expect([providers.received.length, await stagedRows()]).toEqual([0, 0]);
    },
  );

  it.each(models)('is sent to no provider without a key for the provider of %s', async (model, _id, name) => {
    const keyless = await aTenant(api);
    expect(seen(await keyless.call(path, { model, prompt, text }))).toEqual(
      failed('no-key', 'no-key', `No API key configured for provider: ${name}`),
    );
    expect(providers.received).toEqual([]);
  });

  it('may have 100,000 characters of any script, like its prompt', async () => {
    const long = { model: 'gpt-4o', prompt: '指'.repeat(100_000), text: '示'.repeat(100_000) };
    expect((await tenant.call(path, long)).status).toBe(200);
    expect(providers.received[0]?.body).toMatchObject({
      messages: [{ content: long.prompt }, { content: long.text }],
    });
  });
});

describe('a malformed request to ask-ai', () => {
  it('is rejected with all of its issues, and calls no provider', async () => {
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

describe('a response that a model cuts off', () => {
  it('is returned truncated, with truncated set', async () => {
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

describe('the usage of a key', () => {
  it('counts every call to a provider, and the tokens that it reports, also without a text', async () => {
    const { keyId, ...other } = await withProviderKeys(await aTenant(api), providerKey);
    providers.behave(inTurn(refusing(500, 'server_error'), saying('Thank you.', [100, 20])));
    await other.ok(path, { model: 'gpt-4o', prompt, text });
    await other.ok(path, { model: 'unknown', prompt, text });
    const filtered = {
      index: 0,
      message: { role: 'assistant', content: '' },
      finish_reason: 'content_filter',
    };
    const tokens = { prompt_tokens: 30, completion_tokens: 4, total_tokens: 34 };
    providers.behave(inTurn(saying('', [7, 1]), chatCompletion(filtered, tokens)));
    for (const code of ['empty', 'refused'])
      expect(seen(await other.call(path, { model: 'gpt-4o', prompt, text })).result).toMatchObject({ code });
    const counters = ['requests', 'aiCalls', 'aiInputTokens', 'aiOutputTokens'] as const;
    type Usage = Readonly<Record<(typeof counters)[number], number>>;
    await eventually(async () => {
      // Of two hours when one ends during the calls.
      const { data } = await anOperator(api).ok<Usage[]>('/v2/operator/usage/get', { keyId });
      const sums = counters.map((counter) => data.reduce((sum, hour) => sum + hour[counter], 0));
      expect(sums).toEqual([5, 4, 137, 25]);
    });
  });
});

describe('the limit of concurrent calls of a key', () => {
  it('delays further calls of this key, but not those of other keys', async () => {
    const limited = await withProviderKeys(await aTenant(api), providerKey);
    await anOperator(api).ok('/v2/operator/limits/update', { keyId: limited.keyId, aiConcurrency: 1 });
    const held: (() => void)[] = [];
    providers.behave((...call) => {
      if (JSON.stringify(call[0].body).includes('held')) held.push(() => void saying('Done.')(...call));
      else void saying('Done.')(...call);
    });
    const askModel = async (client: TestTenant, sent: string) =>
      client.ok(path, { model: 'gpt-4o', prompt, text: sent });
    const calls = [askModel(limited, 'held'), askModel(limited, 'held')];
    await eventually(() => held.length === 1);
    await askModel(tenant, 'free');
    expect(held).toHaveLength(1);
    held[0]?.();
    await eventually(() => held.length === 2);
    held[1]?.();
    await Promise.all(calls);
  });
});

describe('an Idempotency-Key', () => {
  it('deduplicates concurrent calls, and replays a text', async () => {
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
    const original = await first;
    expect(seen(original).result).toMatchObject({ success: true, text: 'Once.' });
    const again = await ask('gpt-4o', options);
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([original.text, 'true']);
    expect((await ask('gpt-4.1', options)).status).toBe(422);
    expect(providers.received).toHaveLength(1);
  });

  it('does not replay a failure: the same call reaches the provider again', async () => {
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

  it('is required for deduplication: without one, two identical concurrent calls both reach the provider', async () => {
    const responses = await Promise.all([ask(), ask()]);
    for (const response of responses) expect(seen(response).result).toMatchObject({ success: true });
    expect(providers.received).toHaveLength(2);
  });
});

describe('the content of a request', () => {
  it('is in no log, and only encrypted in the database, also while the call runs', async () => {
    const secrets = [prompt, text, 'A secret answer.', providerKey, providersOwnWords];
    let response: (() => void) | undefined;
    providers.behave((...call) => {
      response = () => void saying('A secret answer.')(...call);
    });
    const askModel = ask('gpt-4o', { idempotencyKey: freshId('key') });
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
    await askModel;
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
