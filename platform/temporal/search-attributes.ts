import type { Client } from '@temporalio/client';
import type { WorkflowToStart } from './temporal-client.ts';

/** Milliseconds for which workflows start without search attributes after Temporal has refused them. */
const refusedFor = 10_000;

const invalidArgument = 3;

/** A keyword, as the operator service numbers types. */
const keyword = 2;

/** Registers search attributes, all keywords; those that are there stay. Rejects where the server does not let clients. */
export async function addKeywords(
  { connection, options: { namespace } }: Client,
  names: readonly string[],
): Promise<void> {
  await connection.operatorService?.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(names.map((name) => [name, keyword])),
  });
}

/**
 * Starts workflows with their search attributes. One that Temporal does not know yet, as before the first worker of a release
 * has started, is registered; where that is left to an operator, workflows start without: harder to find, but they run.
 */
export class OptionalAttributes {
  readonly #client: Client;
  readonly #onUnknown: (name: string) => void;
  #refusedUntil = -Infinity;

  constructor(client: Client, onUnknown: (name: string) => void) {
    this.#client = client;
    this.#onUnknown = onUnknown;
  }

  async start<Workflow extends WorkflowToStart>(
    workflow: Workflow,
    start: (workflow: Workflow) => Promise<void>,
  ): Promise<void> {
    const plain = { ...workflow, attributes: {} };
    if (performance.now() < this.#refusedUntil) return start(plain);
    if ((await refusal(() => start(workflow))) === undefined) return;
    await addKeywords(this.#client, Object.keys(workflow.attributes)).catch(() => undefined);
    const unknown = await refusal(() => start(workflow));
    if (unknown === undefined) return;
    this.#refusedUntil = performance.now() + refusedFor;
    this.#onUnknown(unknown);
    await start(plain);
  }
}

/** The name of the search attribute for which Temporal refuses to start a workflow; undefined when it has started. */
async function refusal(start: () => Promise<void>): Promise<string | undefined> {
  try {
    await start();
    return undefined;
  } catch (error) {
    const name = unknownAttributeOf(error);
    if (name === undefined) throw error;
    return name;
  }
}

function unknownAttributeOf(error: unknown): string | undefined {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    const { code, details } = at as { code?: unknown; details?: unknown };
    if (code === invalidArgument && typeof details === 'string' && /search attribute/i.test(details))
      return /Steward\w+/.exec(details)?.[0] ?? 'unknown';
  }
  return undefined;
}
