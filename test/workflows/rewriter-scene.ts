import { expect } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { path, prompt, providerKey, text } from '../api/rewriter/rewriter-scene.ts';
import {
  aiProviders,
  saying,
  withProviderKeys,
  type Behavior,
  type TestProviders,
} from '../support/ai-providers.ts';
import type { Response } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import type { TestProcess } from '../support/processes.ts';
import { anInstallation, type Installation } from './migrations.ts';

/** An installation without a worker, AI providers, and a tenant with a key of each provider. */
export interface RewriterScene {
  readonly installation: Installation;
  readonly providers: TestProviders;
  readonly tenant: TestTenant;
  startWorker(environment?: Readonly<Record<string, string>>): Promise<TestProcess>;
  /** Waits until the provider has received that many calls. */
  called(times: number): Promise<void>;
}

/** Resources that the scenes of a file have opened. */
export const closing: (() => Promise<unknown>)[] = [];

export async function rewriterScene(behavior: Behavior = saying('Rewritten.')): Promise<RewriterScene> {
  const installation = await anInstallation();
  closing.push(installation.close);
  const providers = await aiProviders();
  closing.push(providers.close);
  providers.behave(behavior);
  return {
    installation,
    providers,
    tenant: await withProviderKeys(await aTenant(installation.api), providerKey),
    startWorker: (environment) => installation.startWorker({ ...providers.environment, ...environment }),
    called: async (times) => {
      await eventually(() => providers.received.length >= times);
    },
  };
}

export const askOnce = async (tenant: TestTenant, idempotencyKey?: string): Promise<Response> =>
  tenant.call(
    path,
    { model: 'gpt-4o', prompt, text },
    idempotencyKey === undefined ? {} : { idempotencyKey },
  );

/** Retries like a client: at startup on a loaded machine, Temporal may be unavailable. */
export async function ask(tenant: TestTenant, idempotencyKey?: string): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await askOnce(tenant, idempotencyKey);
    if (response.status !== 503 || attempt === 5) return response;
  }
}

export const resultOf = ({ body }: Response): unknown => body.result;

export const rewritten = (response: string, attempts: number) => ({
  success: true,
  text: response,
  attempts,
});

export const nothingStaged = async ({ installation }: RewriterScene): Promise<void> => {
  expect(await installation.api.database.sql('select 1 from staged_request')).toEqual([]);
};

export const hanging: Behavior = () => undefined;

/** Runs `act` with a client of the installation's Temporal. */
export async function withTemporal<Result>(
  { installation }: RewriterScene,
  act: (client: Client) => Promise<Result>,
): Promise<Result> {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = installation.temporal;
  const connection = await Connection.connect({ ...(address !== undefined && { address }) });
  try {
    return await act(new Client({ connection, ...(namespace !== undefined && { namespace }) }));
  } finally {
    await connection.close();
  }
}
