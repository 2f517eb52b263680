import { z } from 'zod';
import { asJsonb, isLargerThan } from '../../platform/json/json-size.ts';
import { reservedMember } from '../http/request/issues.ts';
import { rule } from '../rules.ts';

/** Names that no record may use for free metadata, because responses use or may use them. */
export const reservedNames: readonly string[] =
  `id organizationId organizationName documentId documentName folderId folderName userId name email accessRole accessType
   disabled apiKey createdAt lastUpdated ancestors inheritAccessFromParent isAdmin permissions metadata success code message`.split(
    /\s+/,
  );

const maxBytes = 16_384;

/**
 * A record that stores unknown members as free metadata: at most 16 KiB of JSON per record. Reserved names and names
 * that begin with `_` or `$` are refused, and so are `responseOnly` names, which responses use for this kind of record.
 * Numbers count as stored, with all digits: 1e300 has 301.
 */
export function openRecord<Known extends z.ZodRawShape>(known: Known, responseOnly: readonly string[] = []) {
  const refused = new Set([...reservedNames, ...responseOnly].filter((name) => !Object.hasOwn(known, name)));
  // Runs even if a known member is invalid, so that one response lists all issues.
  const checkNames = rule<object>(
    `Free metadata has no name that begins with \`_\` or \`$\`, nor one of: ${[...refused].join(', ')}.`,
    { propertyNames: { not: { anyOf: [{ enum: [...refused] }, { pattern: '^[_$]' }] } } },
    [],
    (record, context) => {
      for (const name of freeNames(record, known)) {
        if (refused.has(name) || /^[_$]/.test(name))
          context.addIssue({ code: 'custom', path: [name], ...reservedMember });
      }
    },
  );
  const checkSize = (record: object, context: z.core.$RefinementCtx): void => {
    if (typeof record !== 'object' || record === null) return;
    const { length } = freeNames(record, known);
    // Each member takes at least 4 bytes, so their number alone can exceed the limit.
    if (length * 4 > maxBytes || (length > 0 && isLargerThan(maxBytes, metadataOf(record, known), asJsonb))) {
      context.addIssue({ code: 'custom', message: '<m> must hold at most 16 KiB of free metadata.' });
    }
  };
  return z
    .looseObject(known)
    .check(checkNames)
    .superRefine(checkSize, { when: () => true });
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
