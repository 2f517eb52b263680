import {
  Client,
  Connection,
  WorkflowFailedError,
  WorkflowIdConflictPolicy,
  type WorkflowClientInterceptor,
} from '@temporalio/client';
import {
  defaultPayloadConverter,
  defineSearchAttributeKey,
  SearchAttributeType,
  TypedSearchAttributes,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Headers,
} from '@temporalio/common';
import type { Configuration } from '../config/configuration.ts';
import { OptionalAttributes } from './search-attributes.ts';
import type { WorkflowToStart, WorkflowToWake } from './workflow-to-start.ts';

/** Connects at first use and reconnects after a loss: a process must start and respond while Temporal is unavailable. */
export interface TemporalClient {
  /** Succeeds when the workflow already runs. Rejects when Temporal does not respond within `timeoutMs`. */
  start(workflow: WorkflowToStart, timeoutMs: number): Promise<void>;
  /** Signals the workflow, and starts it if it does not run. Rejects like `start`. */
  wake(workflow: WorkflowToWake, timeoutMs: number): Promise<void>;
  /** Waits for the workflow; returns whether it completed. Rejects when Temporal is unavailable or `signal` aborts. */
  ended(workflowId: string, signal: AbortSignal): Promise<boolean>;
  /** Requests cancellation; has no effect on a workflow that has ended. Rejects like `start`. */
  cancel(workflowId: string, timeoutMs: number): Promise<void>;
  /** Whether Temporal responds within `timeoutMs`. */
  available(timeoutMs: number): Promise<boolean>;
  /** The SDK's client, for other calls. */
  client(): Client;
  close(): Promise<void>;
}

export interface TemporalOptions {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string | undefined;
  readonly tls?: Configuration['temporal']['tls'];
  /** Receives the name of an unknown search attribute; workflows start without attributes for 10 s. */
  readonly onUnknownAttribute?: (name: string) => void;
  /** Headers of the workflows and signals that the current call starts; undefined for none. */
  readonly headers?: (() => Readonly<Record<string, object>> | undefined) | undefined;
}

export function openTemporal({
  address,
  namespace,
  apiKey,
  tls,
  onUnknownAttribute = () => undefined,
  headers,
}: TemporalOptions): TemporalClient {
  const connection = Connection.lazy({
    address,
    connectTimeout: '2 seconds',
    // No retries in the client: callers have deadlines and a sweep, and a retry after `close` would crash the process.
    interceptors: [],
    ...(apiKey !== undefined && { apiKey }),
    // Undefined would mean TLS where an API key is set.
    tls: tls ?? false,
  });
  const interceptors = headers && { workflow: [adding(headers)] };
  const client = new Client({ connection, namespace, ...(interceptors && { interceptors }) });
  const attributes = new OptionalAttributes(client, onUnknownAttribute);
  const within = <Result>(timeoutMs: number, call: () => Promise<Result>): Promise<Result> =>
    connection.withDeadline(Date.now() + timeoutMs, call);
  return {
    start: async (workflow, timeoutMs) =>
      within(timeoutMs, () => attributes.start(workflow, (started) => start(client, started))),
    wake: async (workflow, timeoutMs) =>
      within(timeoutMs, () => attributes.start(workflow, (woken) => wake(client, woken))),
    ended: async (workflowId, signal) => connection.withAbortSignal(signal, () => ended(client, workflowId)),
    cancel: async (workflowId, timeoutMs) => within(timeoutMs, () => cancel(client, workflowId)),
    available: async (timeoutMs) => {
      try {
        await within(timeoutMs, () => connection.workflowService.describeNamespace({ namespace }));
        return true;
      } catch {
        return false;
      }
    },
    client: () => client,
    close: () => connection.close(),
  };
}

/** Adds headers to the workflows that start and to their signals. */
function adding(headers: NonNullable<TemporalOptions['headers']>): WorkflowClientInterceptor {
  const added = <Input extends { readonly headers: Headers }>(input: Input): Input => {
    const payloads = Object.entries(headers() ?? {}).map(([name, value]) => [
      name,
      defaultPayloadConverter.toPayload(value),
    ]);
    return { ...input, headers: { ...input.headers, ...Object.fromEntries(payloads) } };
  };
  return {
    startWithDetails: async (input, next) => next(added(input)),
    signalWithStart: async (input, next) => next(added(input)),
  };
}

async function start(client: Client, workflow: WorkflowToStart): Promise<void> {
  try {
    await client.workflow.start(workflow.workflowType, {
      ...optionsOf(workflow),
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

async function wake(client: Client, workflow: WorkflowToWake): Promise<void> {
  await client.workflow.signalWithStart(workflow.workflowType, {
    ...optionsOf(workflow),
    signal: workflow.signal,
    signalArgs: [],
  });
}

async function ended(client: Client, workflowId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId).result();
    return true;
  } catch (error) {
    if (error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

async function cancel(client: Client, workflowId: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).cancel();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

function optionsOf(workflow: WorkflowToStart) {
  return {
    workflowId: workflow.workflowId,
    taskQueue: workflow.taskQueue,
    args: [workflow.input],
    staticSummary: workflow.summary,
    // A terminated or timed-out run may start again: every step is a compare-and-set on the job's row.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    typedSearchAttributes: keywords(workflow.attributes),
    ...(workflow.memo !== undefined && { memo: { ...workflow.memo } }),
    ...(workflow.endsWithinMs !== undefined && { workflowExecutionTimeout: workflow.endsWithinMs }),
    ...(workflow.fairnessKey !== undefined && { priority: { fairnessKey: workflow.fairnessKey } }),
  };
}

/** Keywords by search attribute, in the SDK's type. */
export const keywords = (attributes: Readonly<Record<string, string>>): TypedSearchAttributes =>
  new TypedSearchAttributes(
    Object.entries(attributes).map(([name, value]) => ({
      key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
      value,
    })),
  );
