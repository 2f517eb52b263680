import { z } from 'zod';
import { accessTypes } from '../domain/tenancy/tenant.ts';
import { invalidValue } from './http/request/issues.ts';
import { inSlices } from './http/request/validate-items.ts';

/** Bytes of UTF-8 that a customer's id may have. */
export const maxIdBytes = 1_000;

/** No control characters, written so that every dialect of expressions reads it alike. */
const withoutControls = String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`;

const fits = (id: string): boolean => id.length * 3 <= maxIdBytes || Buffer.byteLength(id) <= maxIdBytes;

/** Opaque: kept byte for byte, never trimmed or normalised (docs/decisions.md#ids). */
export const customerId = z
  .string()
  .min(1)
  .refine(fits, { error: `<m> must be at most ${String(maxIdBytes)} bytes.` })
  .refine((id) => !/\p{Cc}/u.test(id), { error: '<m> must not contain control characters.' })
  .meta({
    minLength: 1,
    maxLength: maxIdBytes,
    pattern: withoutControls,
    description: 'An id of yours: 1 to 1,000 bytes of UTF-8, compared byte by byte.',
  });

/** An id that a folder may have: `root` is the place above all folders. */
export const folderId = customerId.refine((id) => id !== 'root', { error: '<m> must not be root.' });

/** At most `max` characters; may be empty. */
export const text = (max: number) => z.string().max(max);

export const name = text(1_000);

/** An integer within bounds, both included; the refusal names them. */
export const integer = (min: number, max: number) => {
  const error = invalidValue(`<m> must be an integer from ${String(min)} to ${String(max)}.`);
  return z.int({ error }).min(min, { error }).max(max, { error });
};

/**
 * Refuses what can be no address. Nothing stricter: names of mailboxes and domains may be in any script and as short as
 * their owners like, and whether mail arrives is not known from the text.
 */
export const email = z
  .email({ pattern: /^[^\s@"\p{Cc}]{1,64}@(?:[^\s@."\p{Cc}]+\.)+[^\s@."\p{Cc}]+$/u })
  .max(254);

export const accessType = z.enum(accessTypes);

const itemsError = (max: number) => (issue: { input?: unknown }) =>
  Array.isArray(issue.input)
    ? `<m> must hold 1 to ${String(max)} items, not ${String(issue.input.length)}.`
    : undefined;

/** 1 to `max` items as sent. */
export const items = <Item extends z.ZodType>(item: Item, max = 1_000) => {
  const error = itemsError(max);
  return inSlices(z.array(item).min(1, { error }).max(max, { error }), max);
};

/** 1 to `max` different ids; one that is sent twice counts, and is answered, once. */
export const ids = (max = 1_000, id: z.ZodType<string> = customerId) =>
  distinct(z.array(id), max, (sent) => new Set(sent).size)
    .transform((sent) => [...new Set(sent)])
    .meta({ minItems: 1, maxItems: max });

/** 1 to `max` records with different ids; of two with one id the last counts, at the place of the first. */
export const records = <Item extends z.ZodType<object>>(
  item: Item,
  idMember: keyof z.output<Item> & string,
  max = 1_000,
) => {
  const idOf = (record: object): unknown => (record as Record<string, unknown>)[idMember];
  return distinct(z.array(item), max, (sent) => new Set(sent.map(idOf)).size)
    .transform((sent) => [...new Map(sent.map((record) => [idOf(record), record])).values()])
    .meta({ minItems: 1, maxItems: max });
};

/** A list of which `count` says how many different items it has. */
function distinct<Item extends z.ZodType>(
  list: z.ZodArray<Item>,
  max: number,
  count: (sent: readonly z.output<Item>[]) => number,
): z.ZodArray<Item> {
  const counted = list.superRefine((sent, context) => {
    const found = count(sent);
    if (found >= 1 && found <= max) return;
    const message = `<m> must hold 1 to ${String(max)} items, not ${String(found)}.`;
    context.addIssue({ code: 'custom', message });
  });
  return inSlices(counted);
}

/** An object that is kept as it was sent, whatever its members are called. */
export const openObject = z
  .unknown()
  .refine(
    (value) => value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value)),
    {
      error: ({ input }) => (input === null ? '<m> must not be null.' : '<m> must be an object.'),
    },
  )
  .meta({ type: 'object' });

/** Any JSON but null where a member is optional. */
export const anything = z.unknown();

/** A timestamp: milliseconds since the epoch. */
export const milliseconds = z.int().min(0);
