import { Client, Connection, WorkflowFailedError, WorkflowIdConflictPolicy } from '@temporalio/client';
import {
  defineSearchAttributeKey,
  SearchAttributeType,
  TypedSearchAttributes,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/common';
import type { Configuration } from '../config/configuration.ts';
import { OptionalAttributes } from './search-attributes.ts';

/** A workflow to start, as `workflows/starts.ts` describes it. */
export interface WorkflowToStart {
  readonly workflowType: string;
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly input: object;
  readonly summary: string;
  /** Keywords, by the name of the search attribute. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Milliseconds after which Temporal ends it, whatever it does; as long as it takes unless said. */
  readonly endsWithin?: number;
  /** Whose work it is: a queue serves every key in turn, however much one of them has waiting. */
  readonly fairnessKey?: string;
}

/** A workflow that looks for work when it is signalled. The signal carries nothing. */
export interface WorkflowToWake extends WorkflowToStart {
  readonly signal: string;
}

/** Connects at the first use and again after a loss: a process must start, and answer, while Temporal is away. */
export interface TemporalClient {
  /** Starting what runs already is a success. Rejects when Temporal does not answer in `deadline` milliseconds. */
  start(workflow: WorkflowToStart, deadline: number): Promise<void>;
  /** Signals the workflow, and starts it where it does not run. Rejects like `start`. */
  wake(workflow: WorkflowToWake, deadline: number): Promise<void>;
  /** Resolves once the workflow has ended; says whether it ended well. Rejects when Temporal does not tell, or `signal` aborts. */
  ended(workflowId: string, signal: AbortSignal): Promise<boolean>;
  /** Asks a workflow to stop; one that has ended is left alone. Rejects like `start`. */
  cancel(workflowId: string, deadline: number): Promise<void>;
  /** Whether Temporal answers within `deadline` milliseconds. */
  available(deadline: number): Promise<boolean>;
  /** The connected client, for what has no verb here. */
  client(): Client;
  close(): Promise<void>;
}

export interface TemporalOptions {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string | undefined;
  readonly tls?: Configuration['temporal']['tls'];
  /** Receives the name of a search attribute that Temporal does not know: workflows start without theirs for a while. */
  readonly onUnknownAttribute?: (name: string) => void;
}

export function openTemporal({
  address,
  namespace,
  apiKey,
  tls,
  onUnknownAttribute = () => undefined,
}: TemporalOptions): TemporalClient {
  const connection = Connection.lazy({
    address,
    connectTimeout: '2 seconds',
    // No retries inside the client: callers have deadlines and a sweep behind them, and a retry that wakes up after
    // `close` would end the process.
    interceptors: [],
    ...(apiKey !== undefined && { apiKey }),
    ...(tls !== undefined && { tls }),
  });
  const client = new Client({ connection, namespace });
  const attributes = new OptionalAttributes(client, onUnknownAttribute);
  const within = <Result>(deadline: number, call: () => Promise<Result>): Promise<Result> =>
    connection.withDeadline(Date.now() + deadline, call);
  return {
    start: async (workflow, deadline) =>
      within(deadline, () => attributes.start(workflow, (started) => start(client, started))),
    wake: async (workflow, deadline) =>
      within(deadline, () => attributes.start(workflow, (woken) => wake(client, woken))),
    ended: async (workflowId, signal) => connection.withAbortSignal(signal, () => ended(client, workflowId)),
    cancel: async (workflowId, deadline) => within(deadline, () => cancel(client, workflowId)),
    available: async (deadline) => {
      try {
        await within(deadline, () => connection.workflowService.describeNamespace({ namespace }));
        return true;
      } catch {
        return false;
      }
    },
    client: () => client,
    close: () => connection.close(),
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
    // A run that was terminated or timed out may be started again: every step is a compare-and-set on the job's row.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    typedSearchAttributes: keywords(workflow.attributes),
    ...(workflow.endsWithin !== undefined && { workflowExecutionTimeout: workflow.endsWithin }),
    ...(workflow.fairnessKey !== undefined && { priority: { fairnessKey: workflow.fairnessKey } }),
  };
}

/** By the name of the search attribute. */
export const keywords = (attributes: Readonly<Record<string, string>>): TypedSearchAttributes =>
  new TypedSearchAttributes(
    Object.entries(attributes).map(([name, value]) => ({
      key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
      value,
    })),
  );
