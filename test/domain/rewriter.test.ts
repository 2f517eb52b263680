import { afterAll, describe, expect, it } from '@jest/globals';
import { clearStagedRequests, stageRequest } from '../../domain/rewriter/staged-requests.ts';
import { familyOf } from '../../domain/rewriter/model-family.ts';
import { readConfiguration } from '../../platform/config/configuration.ts';
import { startTestApi } from '../support/api.ts';
import { serverEnvironment } from '../support/environment.ts';
import { aTenant } from '../support/factories.ts';

const api = await startTestApi();
afterAll(api.close);

const families = (text?: string) =>
  readConfiguration(
    serverEnvironment('postgres://x/y', text === undefined ? {} : { STEWARD_AI_MODELS: text }),
    'api',
  ).rewriter.families;

describe('the families of models', () => {
  it('are those of the specification', () => {
    const found = (model: string) => familyOf(families(), model)?.provider;
    expect(['gpt-', 'gpt-4o', 'o1', 'o3-mini', 'o4-'].map(found)).toEqual(Array(5).fill('openai'));
    expect(['claude-3', 'gemini-2.5-pro'].map(found)).toEqual(['anthropic', 'gemini']);
    expect(['gpt', 'o1mini', 'O1', 'Claude-3', ''].map(found)).toEqual(Array(5).fill(undefined));
  });

  it('grow by a line of configuration, and the longest name decides', () => {
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

describe('what a dead process has left of a request', () => {
  it('is cleared away after an hour', async () => {
    const { id } = await aTenant(api);
    const request = { provider: 'openai', model: 'o1', oneMessage: true, prompt: 'p', text: 't' } as const;
    const em = api.orm.em.fork();
    const [old, fresh] = [
      await stageRequest(em, api.keyRing, id, request, undefined),
      await stageRequest(em, api.keyRing, id, request, undefined),
    ];
    await api.database.sql(
      `update staged_request set asked_at = now() - interval '61 minutes' where public_id = $1`,
      [old.requestId],
    );
    await clearStagedRequests(em);
    const left = await api.database.sql('select public_id from staged_request where api_key_id = $1', [id]);
    expect(left).toEqual([{ public_id: fresh.requestId }]);
  });
});
