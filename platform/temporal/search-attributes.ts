import type { Client } from '@temporalio/client';
import { grpcCodes, grpcErrorOf } from './grpc.ts';
import type { WorkflowToStart } from './workflow-to-start.ts';

/** Milliseconds for which workflows start without search attributes after Temporal rejected one. */
const rejectedForMs = 10_000;

/** The operator service's number of the keyword type. */
const keyword = 2;

/** Registers keyword search attributes; existing ones stay. Rejects when the server does not permit it. */
export async function addKeywords(
  { connection, options: { namespace } }: Client,
  names: readonly string[],
): Promise<void> {
  await connection.operatorService?.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(names.map((name) => [name, keyword])),
  });
}

/** Names of the custom search attributes of a namespace. */
export interface ListedAttributes {
  readonly keywords: ReadonlySet<string>;
  /** Those of another type, which Temporal refuses with a keyword as the value. */
  readonly others: ReadonlySet<string>;
}

/** Rejects when the server does not permit it. */
export async function listAttributes({
  connection,
  options: { namespace },
}: Client): Promise<ListedAttributes> {
  const listed = await connection.operatorService?.listSearchAttributes({ namespace });
  const found = Object.entries<number>(listed?.customAttributes ?? {});
  const namesOf = (ofKeywords: boolean): ReadonlySet<string> =>
    new Set(found.filter(([, type]) => (type === keyword) === ofKeywords).map(([name]) => name));
  return { keywords: namesOf(true), others: namesOf(false) };
}

/**
 * Starts workflows with their search attributes. Registers an attribute that Temporal does not know, for example before
 * the first worker of a release starts. When registration fails, workflows start without attributes.
 */
export class OptionalAttributes {
  readonly #client: Client;
  readonly #onUnknown: (name: string) => void;
  #rejectedUntil = -Infinity;

  constructor(client: Client, onUnknown: (name: string) => void) {
    this.#client = client;
    this.#onUnknown = onUnknown;
  }

  async start<Workflow extends WorkflowToStart>(
    workflow: Workflow,
    start: (workflow: Workflow) => Promise<void>,
  ): Promise<void> {
    const plain = { ...workflow, attributes: {} };
    if (performance.now() < this.#rejectedUntil) return start(plain);
    if ((await rejectedAttribute(() => start(workflow))) === undefined) return;
    await addKeywords(this.#client, Object.keys(workflow.attributes)).catch(() => undefined);
    const unknown = await rejectedAttribute(() => start(workflow));
    if (unknown === undefined) return;
    this.#rejectedUntil = performance.now() + rejectedForMs;
    this.#onUnknown(unknown);
    await start(plain);
  }
}

/** The name of the search attribute that Temporal rejected; undefined when the workflow started. */
async function rejectedAttribute(start: () => Promise<void>): Promise<string | undefined> {
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
  const { code, details = '' } = grpcErrorOf(error) ?? {};
  if (code !== grpcCodes.invalidArgument || !/search attribute/i.test(details)) return undefined;
  return /Steward\w+/.exec(details)?.[0] ?? 'unknown';
}
