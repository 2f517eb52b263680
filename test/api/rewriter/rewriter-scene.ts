import { afterAll, beforeEach } from '@jest/globals';
import {
  aiProviders,
  responding,
  saying,
  withProviderKeys,
  type Behavior,
} from '../../support/ai-providers.ts';
import { startTestApi } from '../../support/api.ts';
import type { CallOptions, Response } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { aTenant } from '../../support/factories.ts';
import { startProcess } from '../../support/processes.ts';
import { aNamespace } from '../../support/temporal.ts';

export const path = '/v2/rewriter/ask-ai';
export const prompt = 'Make it friendlier.';
export const text = 'Send me the plan.';
export const providerKey = 'sk-of-the-tests';

/** A model of each provider, with the provider's id and name. */
export const models = [
  ['gpt-4o', 'openai', 'OpenAI'],
  ['claude-sonnet-4-5', 'anthropic', 'Anthropic'],
  ['gemini-2.5-flash', 'gemini', 'Gemini'],
] as const;

/** A response of OpenAI with this choice, and with its tokens if they are given. */
export const chatCompletion = (choice: object, usage?: object): Behavior =>
  responding({ id: 'x', object: 'chat.completion', created: 1, model: 'gpt-4o', choices: [choice], usage });

/** Status, header and result, which for this operation has no envelope of its own. */
export const seen = ({ status, headers, body }: Response) => ({
  status,
  provider: headers['x-provider-status'],
  result: body.result as unknown,
});

/** The value of `seen` for a call that failed with the provider's status. */
export const failed = (provider: string, code: string, error: string) => ({
  status: 200,
  provider,
  result: { success: false, error, code },
});

/** An API, a worker and AI providers for the tests of one file, and a tenant with a key of each provider. */
export async function rewriterScene() {
  const providers = await aiProviders();
  const temporal = await aNamespace();
  const api = await startTestApi({ environment: temporal });
  const worker = await startProcess('worker', api.database.url, { ...temporal, ...providers.environment });
  afterAll(async () => {
    await worker.stop();
    await api.close();
    await providers.close();
  });
  beforeEach(() => providers.behave(saying('Would you send me the plan?')));
  const tenant = await withProviderKeys(await aTenant(api), providerKey);
  const ask = async (model = 'gpt-4o', options?: CallOptions): Promise<Response> =>
    tenant.call(path, { model, prompt, text }, options);
  // A call is UNAVAILABLE when the first connection to Temporal takes more than 2 s, as on a busy machine.
  await eventually(async () => (await ask()).status === 200);
  const stagedRows = async (): Promise<number> =>
    (await api.database.sql('select 1 from staged_request')).length;
  return { api, providers, temporal, worker, tenant, ask, stagedRows };
}
