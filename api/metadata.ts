import { z } from 'zod';
import { asJsonb, isLargerThan } from '../platform/json/json-size.ts';
import { reservedMember } from './http/request/issues.ts';

/** Names that no record may use for free metadata, because responses use or may use them. */
const reserved = new Set(
  `id organizationId organizationName documentId documentName folderId folderName userId name email accessRole accessType
   disabled apiKey createdAt lastUpdated ancestors inheritAccessFromParent isAdmin permissions metadata success code message`.split(
    /\s+/,
  ),
);

const maxBytes = 16_384;

/**
 * A record that stores unknown members as free metadata: at most 16 KiB of JSON per record. Reserved names and names
 * that begin with `_` or `$` are refused, and so are `responseOnly` names, which responses use for this kind of record.
 * Numbers count as stored, with all digits: 1e300 has 301.
 */
export function openRecord<Known extends z.ZodRawShape>(known: Known, responseOnly: readonly string[] = []) {
  const checkMetadata = (record: object, context: z.core.$RefinementCtx): void => {
    if (typeof record !== 'object' || record === null) return;
    const names = freeNames(record, known);
    if (names.length === 0) return;
    for (const name of names) {
      if (reserved.has(name) || responseOnly.includes(name) || /^[_$]/.test(name)) {
        context.addIssue({ code: 'custom', path: [name], ...reservedMember });
      }
    }
    // Each member takes at least 4 bytes, so their number alone can exceed the limit.
    if (names.length * 4 > maxBytes || isLargerThan(maxBytes, metadataOf(record, known), asJsonb)) {
      context.addIssue({ code: 'custom', message: '<m> must hold at most 16 KiB of free metadata.' });
    }
  };
  // Runs even if a known member is invalid, so that one response lists all issues.
  return z.looseObject(known).superRefine(checkMetadata, { when: () => true });
}

/** Returns the members of a record that are not known. */
export function metadataOf(record: object, known: object): Record<string, unknown> {
  const free = freeNames(record, known);
  return free.length === 0
    ? nothing
    : Object.fromEntries(free.map((name) => [name, (record as Record<string, unknown>)[name]]));
}

const freeNames = (record: object, known: object): string[] =>
  Object.keys(record).filter((name) => !Object.hasOwn(known, name));

const nothing: Record<string, unknown> = Object.freeze({});
