import * as Y from 'yjs';

type Node = Y.XmlElement | Y.XmlText;

interface OpenElement {
  readonly name: string;
  readonly element: Y.XmlElement | undefined;
  readonly children: Node[];
}

const token = /<\/([^\s<>/"'=]+)>|<([^\s<>/"'=]+)((?:\s+[^\s=<>"']+="[^"<>]*")*)>|([^<]+)/gy;
const attribute = /\s+([^\s=<>"']+)="([^"<>]*)"/gy;

/** Deeper markup is stored as text. */
const maxXmlDepth = 64;

/**
 * Parses text into Yjs nodes: elements if Yjs serializes them to the same bytes, else one text node. So every text is
 * read as it was written.
 */
export function xmlNodes(source: string): Node[] {
  const parsed = parse(source);
  return parsed !== undefined && written(parsed) === source ? (parse(source) ?? []) : asText(source);
}

function asText(source: string): Node[] {
  return source === '' ? [] : [new Y.XmlText(source)];
}

/** Serializes nodes. They then belong to a document and cannot be inserted into another. */
function written(nodes: Node[]): string {
  const fragment = new Y.Doc().getXmlFragment('content');
  fragment.insert(0, nodes);
  return fragment.toJSON();
}

function parse(source: string): Node[] | undefined {
  const root: OpenElement = { name: '', element: undefined, children: [] };
  const open = [root];
  token.lastIndex = 0;
  while (token.lastIndex < source.length) {
    const [, closed, opened, attributes = '', characters] = token.exec(source) ?? [];
    const innermost = open.at(-1) ?? root;
    if (characters !== undefined) innermost.children.push(new Y.XmlText(characters));
    else if (opened !== undefined && open.length <= maxXmlDepth) open.push(elementOf(opened, attributes));
    else if (closed !== undefined && innermost.name === closed) close(open);
    else return undefined;
  }
  return open.length === 1 ? root.children : undefined;
}

function elementOf(name: string, attributes: string): OpenElement {
  const element = new Y.XmlElement(name);
  for (const [, key = '', value = ''] of attributes.matchAll(attribute)) element.setAttribute(key, value);
  return { name, element, children: [] };
}

function close(open: OpenElement[]): void {
  const closed = open.pop();
  if (closed?.element === undefined) return;
  closed.element.insert(0, closed.children);
  open.at(-1)?.children.push(closed.element);
}
