import { clientForms } from './client-forms.ts';
import type { ClientOperation } from './operations.ts';
import { treeText } from './tree.ts';
import { comment, componentName, pascal } from './type-text.ts';

/** Returns the source of the interface with the methods of one kind of credentials. */
export function methodsText(kind: string, operations: readonly ClientOperation[]): string {
  const body = treeText(operations, (name) => `readonly ${name}`, methodText).replaceAll(',\n', ';\n');
  const [lists, options] = [
    ['ListCall', 'PagedCall'],
    ['CallOptions', 'WriteOptions'],
  ].map((names) => names.filter((name) => body.includes(`${name}<`) || body.includes(`${name})`))) as [
    string[],
    string[],
  ];
  const imports = [
    ...(lists.length > 0 ? [`import type { ${lists.join(', ')} } from '../list-call.ts';`] : []),
    `import type { ${options.join(', ')} } from '../options.ts';`,
    `import type * as types from './types.ts';`,
  ];
  return `${imports.join('\n')}\n\nexport interface ${pascal(kind)}Operations ${body}\n`;
}

function methodText(verb: string, operation: ClientOperation): string {
  const { path, summary, description, writes, data } = operation;
  const required = ((data['required'] ?? []) as readonly string[]).length > 0;
  const text = comment([summary, description, `POST ${path}`].filter(Boolean).join('\n\n'));
  const options = writes ? 'WriteOptions' : 'CallOptions';
  return `${text}${verb}(data${required ? '' : '?'}: types.${pascal(`${operation.id}.request`)}, options?: ${options}): ${returned(operation)}`;
}

function returned({ id, client, item }: ClientOperation): string {
  const response = `types.${pascal(`${id}.response`)}`;
  return clientForms[client].returned(response, () => {
    if (item === undefined) throw new Error(`no schema of the items of ${id}`);
    return `types.${itemName(id, item)}`;
  });
}

const itemName = (id: string, { $ref }: NonNullable<ClientOperation['item']>): string =>
  typeof $ref === 'string'
    ? componentName($ref.slice($ref.lastIndexOf('/') + 1), 'response')
    : pascal(`${id}.item`);
