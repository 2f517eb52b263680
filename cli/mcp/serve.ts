import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { endpoints } from '../../api/endpoints.ts';
import { describedOperations } from '../../api/llms/described-operations.ts';
import { openApiDocument } from '../../api/openapi/document.ts';
import { ownVersion } from '../../platform/process/own-version.ts';
import type { Surroundings } from '../settings.ts';
import { callersOf } from './callers.ts';
import { OperationIndex } from './find-operations.ts';
import { registerTools } from './tools.ts';

const instructions =
  'Steward manages organizations, folders, documents, users, permissions, webhooks and deletions of user data. Find an operation with search_operations, read describe_operation, then call_operation.';

/** `steward mcp`: serves the Model Context Protocol on stdin and stdout until stdin ends. */
export function serveMcp(
  surroundings: Surroundings,
  { allowWrites = false }: { allowWrites?: boolean },
): void {
  const callers = callersOf(surroundings);
  const index = new OperationIndex(describedOperations(endpoints, openApiDocument(endpoints, ownVersion)));
  serveStdio(() => {
    const server = new McpServer({ name: 'steward', version: ownVersion }, { instructions });
    registerTools(server, { index, callers, allowWrites });
    return server;
  });
}
