import * as Y from 'yjs';
import { isJsonObject } from '../../platform/json/json-members.ts';
import { maxDepth, type ContentLocation } from './record.ts';
import { xmlNodes } from './xml-nodes.ts';

type Root = Y.Text | Y.Map<unknown> | Y.Array<unknown> | Y.XmlFragment | Y.XmlText;

/** The shared type that holds the content. */
export function rootOf(doc: Y.Doc, { type, contentKey }: ContentLocation): Root {
  switch (type) {
    case 'text':
      return doc.getText(contentKey);
    case 'map':
      return doc.getMap(contentKey);
    case 'array':
      return doc.getArray(contentKey);
    case 'xml':
      return doc.getXmlFragment(contentKey);
    case 'xmltext':
      return doc.get(contentKey, Y.XmlText);
  }
}

/** Content exceeds `maxDepth`. */
export class TooDeep extends Error {}

/** Converts shared content to plain JSON: own members of any name, bytes as base64, big integers as text. */
export function plain(value: unknown, depth = 0): unknown {
  if (depth > maxDepth) throw new TooDeep();
  if (value instanceof Y.Text || value instanceof Y.XmlFragment) return value.toJSON();
  if (value instanceof Y.Map) {
    const members = {};
    value.forEach((member, name) => setOwn(members, name, plain(member, depth + 1)));
    return members;
  }
  if (value instanceof Y.Array) return value.map((item) => plain(item, depth + 1));
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1));
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  // The content of a subdocument is not part of this document.
  if (value instanceof Y.Doc || value instanceof Y.AbstractType) return null;
  const members = {};
  for (const [name, member] of Object.entries(value)) setOwn(members, name, plain(member, depth + 1));
  return members;
}

/** Sets `__proto__` as an own member, like JSON.parse. */
function setOwn(members: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
  } else members[name] = value;
}

/** Replaces the content by `data`, keeping equal beginnings, ends and members. */
export function replaceContent(doc: Y.Doc, root: Root, data: unknown): void {
  doc.transact(() => {
    if (root instanceof Y.Text) replaceText(root, data as string);
    else if (root instanceof Y.Map) replaceMembers(root, data as object);
    else if (root instanceof Y.Array) replaceItems(root, data as unknown[]);
    else replaceXml(root, data as string);
  });
}

function replaceText(root: Y.Text, text: string): void {
  const present = root.toJSON();
  // With formatting or embedded objects, offsets in the text differ from offsets in the content.
  const [start, kept] =
    root.length === present.length && isUnformatted(root) ? sameEnds(present, text) : [0, 0];
  const removed = root.length - kept - start;
  if (removed > 0) root.delete(start, removed);
  const added = text.slice(start, text.length - kept);
  if (added !== '') root.insert(start, added);
}

function isUnformatted(root: Y.Text): boolean {
  const parts = root.toDelta() as { attributes?: object }[];
  return parts.every(({ attributes }) => attributes === undefined);
}

const isHalf = (text: string, at: number): boolean => /[\udc00-\udfff]/.test(text.charAt(at));

/** Lengths of the common prefix and suffix; never splits a surrogate pair. */
function sameEnds(before: string, after: string): [number, number] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  if (isHalf(before, start) || isHalf(after, start)) start = Math.max(0, start - 1);
  let kept = 0;
  while (kept < shorter - start && before.at(-kept - 1) === after.at(-kept - 1)) kept += 1;
  if (isHalf(before, before.length - kept) || isHalf(after, after.length - kept))
    kept = Math.max(0, kept - 1);
  return [start, kept];
}

const same = (left: unknown, right: unknown): boolean =>
  JSON.stringify(plain(left)) === JSON.stringify(plain(right));

function replaceMembers(root: Y.Map<unknown>, data: object): void {
  const members = new Map<string, unknown>(Object.entries(data));
  for (const name of root.keys()) if (!members.has(name)) root.delete(name);
  for (const [name, value] of members) {
    if (!root.has(name) || !same(root.get(name), value)) root.set(name, shared(value));
  }
}

function replaceItems(root: Y.Array<unknown>, data: readonly unknown[]): void {
  const before = root.toArray().map((item) => JSON.stringify(plain(item)));
  const after = data.map((item) => JSON.stringify(item));
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let kept = 0;
  while (kept < shorter - start && before.at(-kept - 1) === after.at(-kept - 1)) kept += 1;
  if (before.length - start - kept > 0) root.delete(start, before.length - start - kept);
  const added = data.slice(start, data.length - kept);
  if (added.length > 0) root.insert(start, added.map(shared));
}

function replaceXml(root: Y.XmlFragment, source: string): void {
  if (root.toJSON() === source) return;
  if (root.length > 0) root.delete(0, root.length);
  root.insert(0, xmlNodes(source));
}

/**
 * Converts values that Yjs would misread to shared types: it drops a member `__proto__` of plain objects, and takes the
 * member `constructor` of an object for its class.
 */
function shared(value: unknown): unknown {
  if (!holdsProto(value) && !namesConstructor(value)) return value;
  if (Array.isArray(value)) {
    const array = new Y.Array<unknown>();
    array.insert(0, value.map(shared));
    return array;
  }
  const map = new Y.Map<unknown>();
  for (const [name, member] of Object.entries(value as object)) map.set(name, shared(member));
  return map;
}

/** Yjs reads the class of members and items only, not of what is deeper in plain values. */
const namesConstructor = (value: unknown): boolean =>
  isJsonObject(value) && Object.hasOwn(value, 'constructor');

function holdsProto(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(holdsProto);
}
