import { endpoints } from '../../api/endpoints.ts';
import { openApiDocument } from '../../api/openapi/document.ts';
import type { JsonSchema } from '../../api/openapi/json-schema.ts';
import { eventTypes } from '../../domain/webhooks/event-types.ts';
import { ownVersion } from '../../platform/process/own-version.ts';
import { clientForms } from './client-forms.ts';
import { methodsText } from './methods-text.ts';
import { clientOperations, type ClientOperation } from './operations.ts';
import { treeText } from './tree.ts';
import { comment, componentName, pascal, typeText, type Direction } from './type-text.ts';

const header = '/* Generated from the endpoint values by `node cli/write-tables.ts`. */\n\n';

/** The generated file with the methods of each kind of credentials. */
const files = { apiKey: 'api-key.ts', workspace: 'workspace.ts', operator: 'operator.ts' } as const;

/** Returns the generated sources of `packages/client/source/generated/` by file name, not yet formatted. */
export function clientSources(): ReadonlyMap<string, string> {
  const document = openApiDocument(endpoints, ownVersion);
  const operations = clientOperations(endpoints, document);
  const byKind = Map.groupBy(operations, ({ credentials }) => credentials);
  const methods = [...byKind].map(([kind, own]): [string, string] => [files[kind], methodsText(kind, own)]);
  const sources: [string, string][] = [
    ...methods,
    ['operations.ts', tablesText(byKind)],
    ['types.ts', typesText(operations, document)],
    ['webhook-data.ts', webhookDataText()],
    ['version.ts', `export const version = '${ownVersion}';\n`],
  ];
  return new Map(sources.map(([name, text]) => [name, header + text]));
}

function tablesText(byKind: ReadonlyMap<string, readonly ClientOperation[]>): string {
  const callers = Object.values(clientForms).flatMap(({ caller = [] }) => caller);
  const names = ['read', 'write', ...new Set(callers), 'type OperationTree'];
  const tables = [...byKind].map(([kind, operations]) => {
    const table = treeText(
      operations,
      (name) => name,
      (verb, { client, writes, path, alone }) => {
        const sent = [path.replace('/v2/', ''), ...(client === 'wholeList' ? alone : [])];
        const caller = clientForms[client].caller ?? (writes ? 'write' : 'read');
        return `${verb}: ${caller}(${sent.map((text) => `'${text}'`).join(', ')})`;
      },
    );
    return `export const ${kind}Operations = ${table} satisfies OperationTree;\n`;
  });
  return `import { ${names.join(', ')} } from '../operation.ts';\n\n${tables.join('\n')}`;
}

function typesText(operations: readonly ClientOperation[], document: JsonSchema): string {
  const own = new Map(
    operations.flatMap(({ id, data, result, item }): [name: string, text: string][] => [
      declared(pascal(`${id}.request`), data, 'request'),
      ...(item === undefined || '$ref' in item ? [] : [declared(pascal(`${id}.item`), item, 'response')]),
      declared(pascal(`${id}.response`), result, 'response'),
    ]),
  );
  return [...componentTypes(own, document), ...own.values()].join('\n');
}

/** Returns the type of `data` for each type of event. */
function webhookDataText(): string {
  const members = eventTypes.map(
    ({ name, description, schema }) =>
      `${comment(description)}readonly '${name}': ${typeText(schema, 'response')};`,
  );
  return `/** The \`data\` of webhooks by type of event. */\nexport interface WebhookData {\n${members.join('\n')}\n}\n`;
}

/**
 * Returns the types of the components that these types refer to, and of those that they refer to. A component named as one
 * of these types is the body around it.
 */
function componentTypes(own: ReadonlyMap<string, string>, document: JsonSchema): string[] {
  const { schemas } = document['components'] as { readonly schemas: Readonly<Record<string, JsonSchema>> };
  const candidates = Object.entries(schemas)
    .flatMap(([name, schema]) =>
      (['request', 'response'] as const).map((direction) =>
        declared(componentName(name, direction), schema, direction),
      ),
    )
    .map(([type, text]) => ({ type, text }))
    .filter(({ type }) => !own.has(type));
  const used = new Set<(typeof candidates)[number]>();
  const pending = [...own.values()];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const words = new Set(next.match(/\b[A-Z]\w*/g));
    for (const candidate of candidates) {
      if (!words.has(candidate.type) || used.has(candidate)) continue;
      used.add(candidate);
      pending.push(candidate.text);
    }
  }
  return candidates.filter((candidate) => used.has(candidate)).map((candidate) => candidate.text);
}

const declared = (name: string, schema: JsonSchema, direction: Direction): [name: string, text: string] => [
  name,
  `${comment(schema['description'])}export type ${name} = ${typeText(schema, direction)};\n`,
];
