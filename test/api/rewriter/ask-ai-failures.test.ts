import { describe, expect, it } from '@jest/globals';
import {
  responding,
  inTurn,
  refusing,
  saying,
  withProviderKeys,
  type Behavior,
} from '../../support/ai-providers.ts';
import { eventually } from '../../support/eventually.ts';
import { aTenant } from '../../support/factories.ts';
import { rewriterScene, path, prompt, text, models, seen, failed, chatCompletion } from './rewriter-scene.ts';

const { api, providers, ask } = await rewriterScene();

/** Ends the connection after the head and a part of the body. */
const cutInTheMiddle: Behavior = (_call, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"id":"chatcmpl-1","choices":[{"message":{"content":"Would', () => response.destroy());
};

const hangUp: Behavior = (_call, response) => void response.destroy();

describe('a temporary failure of a provider', () => {
  const good = saying('At last.');

  it.each<[string, Behavior]>([
    ['500 and 503', inTurn(refusing(500, 'server_error'), refusing(503, 'overloaded'), good)],
    ['529', inTurn(refusing(529, 'overloaded_error'), refusing(529, 'overloaded_error'), good)],
    ['responses cut in the middle', inTurn(cutInTheMiddle, cutInTheMiddle, good)],
    ['connections that break', inTurn(hangUp, hangUp, good)],
    ['408', inTurn(refusing(408, 'timeout'), refusing(408, 'timeout'), good)],
  ])('is retried: %s twice, then a text', async (_what, behavior) => {
    providers.behave(behavior);
    expect(seen(await ask())).toMatchObject({
      provider: '200',
      result: { success: true, text: 'At last.', attempts: 3 },
    });
    expect(providers.received).toHaveLength(3);
  });

  const soon = (): string => new Date(Date.now() + 3_000).toUTCString();

  it.each<[string, () => string | string[]]>([
    ['seconds', () => '2'],
    ['a date', soon],
    ['seconds, repeated', () => ['2', '1']],
    ['a date, repeated', () => [soon(), '1']],
  ])('is not retried before Retry-After, in %s', async (_form, retryAfter) => {
    const tooMany: Behavior = (...call) =>
      refusing(429, 'rate_limit_exceeded', { 'retry-after': retryAfter() })(...call);
    providers.behave(inTurn(tooMany, good));
    expect(seen(await ask()).result).toMatchObject({ success: true, attempts: 2 });
    const [first, second] = providers.received;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_990);
  });

  it('is returned at once when Retry-After exceeds the time limit of the call', async () => {
    providers.behave(refusing(429, 'insufficient_quota', { 'retry-after': '3600' }));
    expect(seen(await ask())).toEqual(
      failed('429', 'rate-limited', 'OpenAI request failed: 429 insufficient_quota'),
    );
    expect(providers.received).toHaveLength(1);
  });

  it.each<[string, Behavior, ReturnType<typeof failed>]>([
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
  ])('is returned when it occurs three times: %s', async (_what, behavior, expected) => {
    providers.behave(behavior);
    expect(seen(await ask())).toEqual(expected);
    expect(providers.received).toHaveLength(3);
  });
});

describe('a permanent failure of a provider', () => {
  it.each(models)('is not retried: 401 and 400 of %s', async (model, _id, name) => {
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

  it.each<[string, Behavior, ReturnType<typeof failed>]>([
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
      'an empty response',
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
  ])('is returned after one call: %s', async (_what, behavior, expected) => {
    providers.behave(behavior);
    expect(seen(await ask())).toEqual(expected);
    expect(providers.received).toHaveLength(1);
  });

  it('is returned for a prompt that Gemini blocks', async () => {
    providers.behave(responding({ promptFeedback: { blockReason: 'SAFETY' } }));
    expect(seen(await ask('gemini-2.5-flash'))).toEqual(
      failed('200', 'refused', 'Gemini request failed: 200 content_filter'),
    );
  });

  it('is returned for a response of 50 MB, which is not read beyond the limit and data in flight', async () => {
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

  it('is returned for a key that no header can contain', async () => {
    const strange = await withProviderKeys(await aTenant(api), 'sk-ключ');
    expect(seen(await strange.call(path, { model: 'gpt-4o', prompt, text }))).toEqual(
      failed('refused', 'refused', 'OpenAI request failed: invalid_api_key'),
    );
  });
});

describe('token counts of a provider', () => {
  it.each<[string, Behavior]>([
    ['missing', chatCompletion({ index: 0, message: { content: 'Fine.' }, finish_reason: 'stop' })],
    ['negative', saying('Fine.', [-1, 7])],
    ['broken', saying('Fine.', [1.5, 7])],
  ])('are omitted when they are invalid: %s', async (_what, behavior) => {
    providers.behave(behavior);
    expect(seen(await ask()).result).toEqual({
      success: true,
      text: 'Fine.',
      model: 'gpt-4o',
      provider: 'openai',
      attempts: 1,
    });
  });
});
