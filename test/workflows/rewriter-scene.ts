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
import { startStallMeter } from '../support/stall-meter.ts';
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

/** Waits until the provider has received a call, or the request has ended without one; then returns false. */
export async function calledBeforeEnd(
  { providers }: RewriterScene,
  response: Promise<unknown>,
): Promise<boolean> {
  let ended = false;
  const end = (): void => {
    ended = true;
  };
  response.then(end, end);
  await eventually(() => ended || providers.received.length > 0);
  return providers.received.length > 0;
}

/** Asks once. Resolves when the provider has received a call, or the request has ended without one. */
export async function asking(
  set: RewriterScene,
  tenant: TestTenant,
  idempotencyKey?: string,
): Promise<{ readonly response: Promise<Response> }> {
  const response = askOnce(tenant, idempotencyKey);
  await calledBeforeEnd(set, response);
  return { response };
}

export const resultOf = ({ body }: Response): unknown => body.result;

/** Whether the machine was too slow for the limits of a request: Temporal did not start it, or its 58 s were over. */
export function tooLate(response: Response): boolean {
  const { code } = (resultOf(response) ?? {}) as { readonly code?: unknown };
  return response.status === 503 || code === 'timeout';
}

const maxTries = 8;

/**
 * Runs a scenario, and again on a fresh scene where it returns false, because the machine was too slow for it, or where
 * it fails although the machine stalled. What fails each time is no stall.
 */
export async function untilInTime(scenario: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const meter = startStallMeter();
    try {
      if ((await scenario()) !== false) return;
      if (tries === maxTries) throw new Error(`The machine was too slow ${String(maxTries)} times.`);
    } catch (error) {
      if (tries === maxTries || meter.stalls.length === 0) throw error;
    } finally {
      meter.stop();
    }
  }
}

export const rewritten = (response: string, attempts: number) => ({
  success: true,
  text: response,
  attempts,
});

export const nothingStaged = async ({ installation }: RewriterScene): Promise<void> => {
  expect(await installation.api.database.sql('select 1 from staged_request')).toEqual([]);
};

/** Whether an attempt of a call ended without its worker's result, so that the call was made once more. */
export async function lostAttempt(scene: RewriterScene): Promise<boolean> {
  const { lost } = await withTemporal(scene, async ({ workflow }) =>
    eventually(async () => {
      let found = 0;
      for await (const { workflowId } of workflow.list({ query: `WorkflowType = 'askAi'` })) {
        found += 1;
        const { events } = await workflow.getHandle(workflowId).fetchHistory();
        for (const { activityTaskStartedEventAttributes: started } of events ?? [])
          if (started?.lastFailure?.timeoutFailureInfo) return { lost: true };
      }
      return found > 0 && { lost: false };
    }),
  );
  return lost;
}

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
