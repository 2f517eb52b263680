import { createHash } from 'node:crypto';
import type { Pausable } from '../process/in-turns.ts';
import { sortedInTurns } from '../process/sorted-in-turns.ts';
import { writeJson, type Members } from './write-json.ts';

/** SHA-256 of `canonicalJson`, for large values. */
export function* canonicalHash(value: unknown): Pausable<Buffer> {
  const hash = createHash('sha256');
  yield* writeJson(value, (text) => hash.update(text), sortedMembers);
  return hash.digest();
}

/** JSON with sorted members at every depth: equal for values that differ only in the order of members. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sortedAtOnce(value));

/** Sorts members by name; numeric names come first, as in every object. */
export function* sortedMembers(map: object): Pausable<Members> {
  const names = Object.keys(map);
  const firstText = names.findIndex((name) => !isArrayIndex(name));
  const numbers = firstText === -1 ? names : names.slice(0, firstText);
  const sorted = numbers.concat(yield* sortedInTurns(names.slice(numbers.length)));
  return sorted.map((name) => [name, (map as Readonly<Record<string, unknown>>)[name]]);
}

/** Whether objects list a name among their first ones, in numeric order. */
const isArrayIndex = (name: string): boolean =>
  Number(name) < 2 ** 32 - 1 && String(Number(name) >>> 0) === name;

function sortedAtOnce(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortedAtOnce);
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(members).sort();
  return Object.fromEntries(names.map((name) => [name, sortedAtOnce(members[name])]));
}
