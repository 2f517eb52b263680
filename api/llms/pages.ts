import { eachItem, inTurns, type Pausable } from '../../platform/process/in-turns.ts';
import { cachedPage } from '../cross-resource/cached-page.ts';
import type { Page } from '../http/application.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import type { OpenApiSource } from '../openapi/shared-document.ts';
import { statuses } from '../http/response/statuses.ts';
import { describedOperations, type DescribedOperation } from './described-operations.ts';

const textType = 'text/plain; charset=utf-8';

/** `GET /llms.txt` and `GET /llms-full.txt`: the API for language models, in the form of llmstxt.org. */
export const llmsPages = (endpoints: readonly Endpoint[], document: OpenApiSource): readonly Page[] => [
  cachedPage('/llms.txt', textType, async () => llmsText(endpoints, await document())),
  cachedPage('/llms-full.txt', textType, async () => inTurns(writtenFullText(endpoints, await document()))),
];

const introduction = `# Steward

> Self-hosted management plane for real-time collaboration: organizations, folders, documents, users, permissions, activity logs, webhooks and provable deletion.

- Every operation is POST with the JSON body \`{"data": {…}}\`. Success is \`{"result": {"status": "success", "message", "data"}}\`, failure is \`{"error": {"status", "message", "details"}}\`. Three successes differ: the response of users/data/delete has these members at the top level, auditlog/export returns lines of NDJSON or CSV, and the result of ask-ai has members of its own.
- Credentials are headers: \`x-svc-api-key\` and \`x-svc-auth-token\` of an API key, \`x-svc-workspace-id\` and \`x-svc-workspace-auth-token\` of a workspace, or \`x-svc-operator-token\`.
- Operations that write take an \`Idempotency-Key\`: the same key and body within 24 hours return the first response.
- Lists return everything, or pages with \`pageSize\` and \`pageToken\`. Only an absent \`nextPageToken\` marks the end.
- Times are milliseconds since the epoch unless noted. Ids are your own texts, compared byte by byte.
- \`INVALID_ARGUMENT\` lists every invalid field in \`details.issues\`. Retry \`UNAVAILABLE\` and \`ABORTED\`, after \`Retry-After\` seconds where that header is sent. Retry \`RESOURCE_EXHAUSTED\` only with that header: without it, delete records or raise the limit.
- Use /v2. It rejects unknown fields; /v1 is deprecated and ignores them.`;

/** Returns an overview: every operation in one line, with a link to its reference. */
function llmsText(endpoints: readonly Endpoint[], document: JsonSchema): string {
  const operations = describedOperations(endpoints, document);
  const current = operations.filter(({ deprecated }) => !deprecated);
  return written([
    introduction,
    [
      '## Documentation',
      '',
      '- [All operations in full](/llms-full.txt): fields, limits, examples and errors',
      '- [OpenAPI 3.1](/openapi.json): the same as a JSON document',
      '- [Reference](/docs): the same as a page',
    ].join('\n'),
    ...sections(current, '\n', (operation) => [linkTo(operation)]),
    // The section of llmstxt.org that readers with little context may skip.
    ['## Optional', '', ...operations.filter(({ deprecated }) => deprecated).map(linkTo)].join('\n'),
  ]);
}

/** Writes all operations with members, limits, examples and errors. It yields after each operation. */
function* writtenFullText(endpoints: readonly Endpoint[], document: JsonSchema): Pausable<string> {
  const operations = describedOperations(endpoints, document);
  const described = yield* eachItem(operations, (operation) => ({ ...operation, section: operation.text() }));
  return written([
    introduction,
    ['## Errors', '', ...errorLines()].join('\n'),
    ...sections(described, '\n\n', ({ section }) => [section]),
  ]);
}

const linkTo = ({ id, endpoint }: DescribedOperation): string =>
  `- [${id}](/docs#${id}): ${endpoint.summary}`;

const errorLines = (): readonly string[] =>
  Object.entries(statuses).map(([status, { http, meaning }]) => `- ${status} (${String(http)}): ${meaning}`);

/** Returns a section for each group of operations. */
function sections<Described extends DescribedOperation>(
  operations: readonly Described[],
  between: string,
  parts: (operation: Described) => readonly string[],
): readonly string[] {
  return [...Map.groupBy(operations, ({ group }) => group)].map(
    ([group, members]) => `## ${group}\n\n${members.flatMap(parts).join(between)}`,
  );
}

const written = (parts: readonly string[]): string => `${parts.join('\n\n')}\n`;
