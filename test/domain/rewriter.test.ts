import { afterAll, describe, expect, it } from '@jest/globals';
import {
  beginCall,
  deleteExpiredStagedRequests,
  dropStagedRequest,
  readProgress,
  stageRequest,
  storeStagedResponse,
  takeStagedResponse,
} from '../../domain/rewriter/staged-requests.ts';
import type { RewriterResponse } from '../../domain/rewriter/rewriter-response.ts';
import { familyOf } from '../../domain/rewriter/model-family.ts';
import { readConfiguration } from '../../platform/config/read-configuration.ts';
import { startTestApi } from '../support/api.ts';
import { serverEnvironment } from '../support/environment.ts';
import { aTenant } from '../support/factories.ts';
import { explain, statementsOf } from '../support/statements.ts';

const api = await startTestApi();
afterAll(api.close);

const request = { provider: 'openai', model: 'o1', oneMessage: true, prompt: 'p', text: 't' } as const;

const families = (text?: string) =>
  readConfiguration(
    serverEnvironment('postgres://x/y', text === undefined ? {} : { STEWARD_AI_MODELS: text }),
    'api',
  ).rewriter.families;

describe('the families of models', () => {
  it('are OpenAI, Anthropic and Gemini by prefix', () => {
    const found = (model: string) => familyOf(families(), model)?.provider;
    expect(['gpt-', 'gpt-4o', 'o1', 'o3-mini', 'o4-'].map(found)).toEqual(Array(5).fill('openai'));
    expect(['claude-3', 'gemini-2.5-pro'].map(found)).toEqual(['anthropic', 'gemini']);
    expect(['gpt', 'o1mini', 'O1', 'Claude-3', ''].map(found)).toEqual(Array(5).fill(undefined));
  });

  it('can be added by configuration, and the longest prefix wins', () => {
    const grown = families('gpt-=openai, gpt-oss-=gemini, llama=anthropic/one-message');
    expect(familyOf(grown, 'gpt-oss-20b')).toEqual({
      name: 'gpt-oss-',
      provider: 'gemini',
      oneMessage: false,
    });
    expect(familyOf(grown, 'llama-4')).toEqual({ name: 'llama', provider: 'anthropic', oneMessage: true });
    expect(familyOf(grown, 'o1')).toBeUndefined();
  });

  it.each(['', 'gpt-', 'gpt-=mistral', 'gpt-=openai,gpt-=gemini', 'a b=openai', 'o1=openai/two'])(
    'cannot be %j',
    (text) => {
      const read = () => families(text === '' ? ',' : text);
      expect(read).toThrow('STEWARD_AI_MODELS');
    },
  );
});

describe('every statement', () => {
  it('finds a staged request by an index', async () => {
    const { id: apiKeyId } = await aTenant(api);
    const em = api.orm.em.fork();
    const hash = Buffer.alloc(32);
    const idempotent = {
      scope: { kind: 'apiKey', ownerId: apiKeyId },
      keyHash: hash,
      requestHash: hash,
    } as const;
    const sent = await statementsOf(async () => {
      const { requestId, requestedAt } = await stageRequest(em, api.keyRing, apiKeyId, request, idempotent);
      await beginCall(em, api.keyRing, requestId);
      await readProgress(em, { requestId, apiKeyId });
      const response = { success: false, code: 'empty', error: 'OpenAI returned no text' } as const;
      await storeStagedResponse(em, api.keyRing, { requestId, apiKeyId }, response);
      await takeStagedResponse(em, api.keyRing, { requestId, apiKeyId });
      await dropStagedRequest(em, { requestId, apiKeyId, requestedAt });
      await deleteExpiredStagedRequests(em);
    });
    const written = sent.filter(({ text }) => text.includes('staged_request'));
    expect(written).toHaveLength(7);
    for (const statement of written) {
      expect({ ...statement, ...(await explain(api.database, statement)) }).toMatchObject({
        wholeTables: [],
      });
    }
  });
});

describe('a repetition', () => {
  it('takes over the request of the first call, with three calls to the provider in total', async () => {
    const { id: apiKeyId } = await aTenant(api);
    const em = api.orm.em.fork();
    const [keyHash, requestHash] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const idempotent = { scope: { kind: 'apiKey', ownerId: apiKeyId }, keyHash, requestHash } as const;
    const stage = async () => stageRequest(em, api.keyRing, apiKeyId, request, idempotent);
    const first = await stage();
    const calls = [1, 2, 3, 4].map(async () => (await beginCall(em, api.keyRing, first.requestId))?.call);
    expect(new Set(await Promise.all(calls))).toEqual(new Set([1, 2, 3, 4]));
    expect(await stage()).toMatchObject({ requestId: first.requestId, hasResponse: false });
    expect((await beginCall(em, api.keyRing, first.requestId))?.call).toBe(4);
    const { requestId } = await stageRequest(em, api.keyRing, apiKeyId, request, {
      ...idempotent,
      requestHash: keyHash,
    });
    expect(requestId).not.toBe(first.requestId);
  });
});

describe('a call whose request a repetition has taken over', () => {
  it('does not delete the request', async () => {
    const { id: apiKeyId } = await aTenant(api);
    const em = api.orm.em.fork();
    const hash = Buffer.alloc(32, 3);
    const scope = { kind: 'apiKey', ownerId: apiKeyId } as const;
    const idempotent = { scope, keyHash: hash, requestHash: hash };
    const first = await stageRequest(em, api.keyRing, apiKeyId, request, idempotent);
    const second = await stageRequest(em, api.keyRing, apiKeyId, request, idempotent);
    expect(second.requestId).toBe(first.requestId);
    expect(await dropStagedRequest(em, { ...first, apiKeyId })).toBeUndefined();
    expect(await beginCall(em, api.keyRing, second.requestId)).toMatchObject({ call: 1 });
    expect(await dropStagedRequest(em, { ...second, apiKeyId })).toEqual({ begun: true });
    expect(await dropStagedRequest(em, { ...second, apiKeyId })).toBeUndefined();
  });
});

describe('a call that fails after its response is stored', () => {
  const hash = Buffer.alloc(32, 4);
  const response = {
    success: true,
    text: 'Paid.',
    status: 200,
    attempts: 1,
  } as const satisfies RewriterResponse;

  it.each([
    { call: 'keeps the response for its repetition with an idempotency key', keeps: response },
    { call: 'keeps nothing without a key', keeps: undefined },
  ])('$call', async ({ keeps }) => {
    const { id: apiKeyId } = await aTenant(api);
    const em = api.orm.em.fork();
    const idempotent = {
      scope: { kind: 'apiKey', ownerId: apiKeyId },
      keyHash: hash,
      requestHash: hash,
    } as const;
    const stage = async () => stageRequest(em, api.keyRing, apiKeyId, request, keeps && idempotent);
    const { requestId, requestedAt } = await stage();
    await beginCall(em, api.keyRing, requestId);
    await storeStagedResponse(em, api.keyRing, { requestId, apiKeyId }, response);
    const dropped = await dropStagedRequest(em, { requestId, apiKeyId, requestedAt });
    expect(dropped).toEqual(keeps === undefined ? { begun: true } : undefined);
    const repeated = await stage();
    expect(repeated.hasResponse).toBe(keeps !== undefined);
    const { requestId: taken } = repeated;
    expect(await takeStagedResponse(em, api.keyRing, { requestId: taken, apiKeyId })).toEqual(keeps);
  });
});

describe('a request that a killed process has left', () => {
  it('is deleted after an hour', async () => {
    const { id } = await aTenant(api);
    const em = api.orm.em.fork();
    const [old, fresh] = [
      await stageRequest(em, api.keyRing, id, request, undefined),
      await stageRequest(em, api.keyRing, id, request, undefined),
    ];
    await api.database.sql(
      `update staged_request set asked_at = now() - interval '61 minutes' where public_id = $1`,
      [old.requestId],
    );
    await deleteExpiredStagedRequests(em);
    const left = await api.database.sql('select public_id from staged_request where api_key_id = $1', [id]);
    expect(left).toEqual([{ public_id: fresh.requestId }]);
  });
});
