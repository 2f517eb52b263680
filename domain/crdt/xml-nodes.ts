import * as Y from 'yjs';

type Node = Y.XmlElement | Y.XmlText;

interface OpenElement {
  readonly name: string;
  readonly element: Y.XmlElement | undefined;
  readonly children: Node[];
}

const token = /<\/([^\s<>/"'=]+)>|<([^\s<>/"'=]+)((?:\s+[^\s=<>"']+="[^"<>]*")*)>|([^<]+)/gy;
const attribute = /\s+([^\s=<>"']+)="([^"<>]*)"/gy;

/** Deeper text is kept as text. */
const deepestXml = 64;

/**
 * Text as the nodes that Yjs has for it: elements where Yjs writes them again byte for byte, else one node that holds the
 * text. What was written is always what is read.
 */
export function xmlNodes(source: string): Node[] {
  const parsed = parse(source);
  return parsed !== undefined && written(parsed) === source ? (parse(source) ?? []) : asText(source);
}

function asText(source: string): Node[] {
  return source === '' ? [] : [new Y.XmlText(source)];
}

/** Nodes that were written belong to a document, and cannot be put into another one. */
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
    else if (opened !== undefined && open.length <= deepestXml) open.push(elementOf(opened, attributes));
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
