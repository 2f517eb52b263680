import { z } from 'zod';
import type { McpServer } from '@modelcontextprotocol/server';
import type { DescribedOperation } from '../../api/llms/described-operations.ts';
import { callApi, maxResponseBytes } from './call-api.ts';
import { credentialVariables, type Callers } from './callers.ts';
import type { OperationIndex } from './find-operations.ts';

/** The operations of the tools and the API that they call. */
export interface Tools {
  readonly index: OperationIndex;
  readonly callers: Callers;
  /** Whether operations that write may be called. */
  readonly allowWrites: boolean;
}

const operationName = z
  .string()
  .min(1)
  .max(200)
  .describe('Id of the operation, such as documents.migrate, or its path.');

interface ToolResult {
  readonly [name: string]: unknown;
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly isError?: boolean;
}

const result = (text: string): ToolResult => ({ content: [{ type: 'text', text }] });
const failure = (text: string): ToolResult => ({ ...result(text), isError: true });

/** Registers the three tools, which find, describe and call operations. */
export function registerTools(server: McpServer, tools: Tools): void {
  registerSearch(server, tools);
  registerDescribe(server, tools);
  registerCall(server, tools);
}

function registerSearch(server: McpServer, { index }: Tools): void {
  server.registerTool(
    'search_operations',
    {
      description:
        'Finds operations of Steward by words, best first. Returns for each its id, whether it writes, the kind of credentials and a summary.',
      inputSchema: z.strictObject({
        query: z.string().min(1).max(200).describe('Words such as "move document" or "webhook endpoint".'),
        limit: z.int().min(1).max(50).default(10).describe('Max operations, 1 to 50.'),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ query, limit }) => {
      const found = index.search(query, limit);
      if (found.length > 0) return result(found.map(lineOf).join('\n'));
      return result(`Nothing found. Search for words of these groups: ${index.groups.join('; ')}.`);
    },
  );
}

const lineOf = ({ id, endpoint }: DescribedOperation): string =>
  `${id} (${endpoint.mutates ? 'write' : 'read'}, ${endpoint.credentials}): ${endpoint.summary}`;

function registerDescribe(server: McpServer, { index }: Tools): void {
  server.registerTool(
    'describe_operation',
    {
      description:
        'Describes an operation: the members of its request and response with their limits, an example, and its errors.',
      inputSchema: z.strictObject({ operation: operationName }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ operation }) => {
      const found = index.named(operation);
      return found === undefined ? unknownOperation(index, operation) : result(found.text());
    },
  );
}

function unknownOperation(index: OperationIndex, name: string): ToolResult {
  const near = index.search(name, 3).map(({ id }) => id);
  const advice =
    near.length === 0 ? 'Find its id with search_operations.' : `The nearest: ${near.join(', ')}.`;
  return failure(`There is no operation of this name. ${advice}`);
}

function registerCall(server: McpServer, tools: Tools): void {
  const { index, allowWrites } = tools;
  server.registerTool(
    'call_operation',
    {
      description: `Calls an operation and returns the response as JSON, max ${String(maxResponseBytes)} bytes. Tokens and secrets in it are "***". ${
        allowWrites
          ? 'Can also call operations that write; describe an operation before you call it.'
          : 'Calls only operations that read, because the server runs without --allow-writes.'
      }`,
      inputSchema: z.strictObject({
        operation: operationName,
        data: z.record(z.string(), z.unknown()).default({}).describe('The members of `data` of the request.'),
        idempotencyKey: z
          .string()
          .regex(/^[!-~]{1,255}$/)
          .optional()
          .describe(
            'For operations that write: a repeat with the same key and data returns the first response.',
          ),
      }),
      annotations: { readOnlyHint: !allowWrites, destructiveHint: allowWrites, openWorldHint: true },
    },
    async ({ operation: name, data, idempotencyKey }, { mcpReq: { signal } }) => {
      const operation = index.named(name);
      if (operation === undefined) return unknownOperation(index, name);
      const { endpoint, path } = operation;
      const refused = refusalOf(tools, operation);
      if (refused !== undefined) return failure(refused);
      const headers = tools.callers.headers(endpoint.credentials) ?? {};
      const key = endpoint.mutates ? idempotencyKey : undefined;
      const call = { endpoint, path, data, idempotencyKey: key, signal };
      const { failed, text } = await callApi(tools.callers, headers, call);
      return failed ? failure(text) : result(text);
    },
  );
}

/** Returns why an operation may not be called, or undefined. */
function refusalOf(
  { callers, allowWrites }: Tools,
  { id, endpoint }: DescribedOperation,
): string | undefined {
  if (endpoint.mutates && !allowWrites) {
    return `${id} writes, and this server only reads. To allow writes, a person must restart it with --allow-writes.`;
  }
  if (callers.headers(endpoint.credentials) !== undefined) return undefined;
  const variables = credentialVariables[endpoint.credentials].join(' and ');
  return `${id} needs credentials that this server does not have: a person must set ${variables} and restart it.`;
}
