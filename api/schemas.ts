import { z } from 'zod';
import { fitsId, maxIdBytes } from '../domain/id-size.ts';
import { jobStatuses } from '../domain/jobs/job.entity.ts';
import { accessRoles } from '../domain/tenancy/access-roles.ts';
import { resourceKinds } from '../domain/tenancy/resource-kinds.ts';
import { accessTypes } from '../domain/tenancy/tenant.ts';
import { isJsonObject } from '../platform/json/json-members.ts';
import { isLargerThan } from '../platform/json/json-size.ts';
import { invalidValue } from './http/request/issues.ts';
import { mergedFrom } from './http/request/merged-lists.ts';
import { inSlices } from './http/request/validate-items.ts';

/** Matches text without control characters, in every dialect of regular expressions. */
const withoutControls = String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`;

/** The bytes of a text in JSON. */
export const jsonBytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/** An opaque id, stored byte for byte, never trimmed or normalized (docs/decisions.md#ids). */
export const customerId = z
  .string()
  .min(1)
  .refine(fitsId, { error: `<m> must be at most ${String(maxIdBytes)} bytes.` })
  .refine((id) => !/\p{Cc}/u.test(id), { error: '<m> must not contain control characters.' })
  .meta({
    minLength: 1,
    maxLength: maxIdBytes,
    pattern: withoutControls,
    description: 'Your own id: 1 to 1,000 bytes of UTF-8, compared byte by byte.',
  });

/** An id of `resource`, for the API reference: `idOf('the document')`. */
export const idOf = (resource: string) =>
  customerId.describe(`Id of ${resource}: 1 to 1,000 bytes of UTF-8, compared byte by byte.`);

/** A switch that creates a resource in the request that does not exist: `createFlag('the document')`. */
export const createFlag = (resource: string) =>
  z
    .boolean()
    .default(false)
    .describe(`True creates ${resource} if it does not exist, with its id as its name.`);

/** The id of a folder. `root` is reserved for the top level. */
export const folderId = customerId
  .refine((id) => id !== 'root', { error: '<m> must not be root.' })
  .meta({
    not: { const: 'root' },
    description:
      'Id of the folder: 1 to 1,000 bytes of UTF-8, compared byte by byte. Not `root`, which is the top level.',
  });

/** Text of at most `max` characters. May be empty. */
export const text = (max: number) => z.string().max(max);

export const name = text(1_000);

/** An integer between inclusive bounds, which the message names. */
export const integer = (min: number, max: number) => {
  const error = invalidValue(`<m> must be an integer from ${String(min)} to ${String(max)}.`);
  return z.int({ error }).min(min, { error }).max(max, { error });
};

/** Rejects only text that cannot be an e-mail address. Mailboxes and domains may use any script and any length. */
export const email = z
  .email({ pattern: /^[^\s@"\p{Cc}]{1,64}@(?:[^\s@."\p{Cc}]+\.)+[^\s@."\p{Cc}]+$/u })
  .max(254);

/** Accepts `""` too, which responses return for a user without e-mail. */
export const emailOrNone = text(254).refine((sent) => sent === '' || email.safeParse(sent).success, {
  error: '<m> must be a valid e-mail address.',
});

export const accessType = z
  .enum(accessTypes)
  .describe(
    'Users that have access without a grant or membership: `public` everyone, `organizationPrivate` members of ' +
      'the organization, `restricted` no one.',
  )
  .meta({ id: 'AccessType' });

export const accessRole = z
  .enum(accessRoles)
  .describe('Role: `viewer` reads, `editor` also writes.')
  .meta({ id: 'AccessRole' });

export const resourceKind = z
  .enum(resourceKinds)
  .describe('Kind of the resource.')
  .meta({ id: 'ResourceKind' });

export const jobStatus = z
  .enum(jobStatuses)
  .describe('`pending` until a worker starts it, `in_progress`, then `completed` or `failed`.')
  .meta({ id: 'JobStatus' });

const itemsError = (bounds: string) => (issue: { input?: unknown }) =>
  Array.isArray(issue.input)
    ? `<m> must hold ${bounds} items, not ${String(issue.input.length)}.`
    : undefined;

/** A list of 1 to `max` items. */
export const items = <Item extends z.ZodType>(item: Item, max = 1_000) => {
  const error = itemsError(`1 to ${String(max)}`);
  return inSlices(z.array(item).min(1, { error }).max(max, { error }), max);
};

/** A list of at most `max` items. May be empty. */
export const itemsOrNone = <Item extends z.ZodType>(item: Item, max: number) =>
  inSlices(z.array(item).max(max, { error: itemsError(`at most ${String(max)}`) }), max);

/** A list of 1 to `max` distinct ids. Duplicates are removed before they are counted. */
export const ids = (max = 1_000, id: z.ZodType<string> = customerId) => distinctItems(id, max);

/** A list of 1 to `max` distinct texts or numbers, like `ids`. */
export const distinctItems = <Item extends string | number>(item: z.ZodType<Item>, max = 1_000) =>
  distinctWithin(item, { min: 1, max });

/** A list of at most `max` distinct texts, like `ids`. May be empty. */
export const distinctItemsOrNone = (item: z.ZodType<string>, max: number) =>
  distinctWithin(item, { min: 0, max });

function distinctWithin<Item extends string | number>(item: z.ZodType<Item>, { min, max }: Bounds) {
  return distinct(z.array(item), { min, max }, (sent) => new Set(sent).size)
    .transform((sent) => [...new Set(sent)])
    .meta({ ...(min > 0 && { minItems: min }), maxItems: max });
}

/**
 * A list of 1 to `max` records with distinct ids. Of two records with one id the last replaces the first, in the position
 * of the first, or of the last if each record depends on those before it. Records without an id are distinct.
 */
export const records = <Item extends z.ZodType<object>>(
  item: Item,
  idMember: keyof z.output<Item> & string,
  { max = 1_000, position = 'first' }: { readonly max?: number; readonly position?: 'first' | 'last' } = {},
) => {
  const identityOf = (record: object): unknown => (record as Record<string, unknown>)[idMember] ?? record;
  const lastOfEach = (sent: readonly z.output<Item>[]): z.output<Item>[] => {
    const kept = new Map<unknown, z.output<Item>>();
    for (const record of sent) {
      const identity = identityOf(record);
      if (position === 'last') kept.delete(identity);
      kept.set(identity, record);
    }
    return [...kept.values()];
  };
  return distinct(z.array(item), { min: 1, max }, (sent) => new Set(sent.map(identityOf)).size)
    .transform((sent) => mergedFrom(sent, lastOfEach(sent)))
    .meta({ minItems: 1, maxItems: max });
};

/** A list of 1 to `max` items with distinct ids, as sent: items with an id that occurs twice are kept, and count once. */
export const itemsById = <Item extends z.ZodType<object>>(
  item: Item,
  idOf: (sent: z.output<Item>) => string | undefined,
  max = 1_000,
) => {
  const count = (sent: readonly z.output<Item>[]) => new Set(sent.map((one) => idOf(one) ?? one)).size;
  const list = distinct(z.array(item), { min: 1, max }, count);
  // `meta` would return a copy, which validates without slices.
  z.globalRegistry.add(list, { minItems: 1, maxItems: max });
  return list;
};

/** Bounds of the number of items. */
interface Bounds {
  readonly min: 0 | 1;
  readonly max: number;
}

/** A list whose number of distinct items, by `count`, is `min` to `max`. */
function distinct<Item extends z.ZodType>(
  list: z.ZodArray<Item>,
  { min, max }: Bounds,
  count: (sent: readonly z.output<Item>[]) => number,
): z.ZodArray<Item> {
  const bounds = min === 0 ? `at most ${String(max)}` : `1 to ${String(max)}`;
  const counted = list.superRefine((sent, context) => {
    const found = count(sent);
    if (found >= min && found <= max) return;
    const message = `<m> must hold ${bounds} items, not ${String(found)}.`;
    context.addIssue({ code: 'custom', message });
  });
  return inSlices(counted);
}

/** An object with any members, stored as sent. */
export const openObject = z
  .unknown()
  .refine((value): boolean => value === undefined || isJsonObject(value), {
    error: ({ input }) => (input === null ? '<m> must not be null.' : '<m> must be an object.'),
  })
  .meta({ type: 'object' });

/** Adds an issue when the value exceeds `kibibytes` KiB as JSON. */
export const atMostKibibytes =
  (kibibytes: number) =>
  (value: unknown, context: z.core.$RefinementCtx): void => {
    if (value !== undefined && isLargerThan(kibibytes * 1_024, value))
      context.addIssue({ code: 'custom', message: `<m> must be at most ${String(kibibytes)} KiB.` });
  };

/** An object with any members of at most `kibibytes` KiB, stored as sent. */
export const storedObject = (kibibytes: number) => openObject.superRefine(atMostKibibytes(kibibytes));

/** Any JSON value. */
export const anything = z.unknown();

/** The end of the year 9999: PostgreSQL reads no later time from ISO 8601 as JavaScript writes it. */
export const maxMilliseconds = 253_402_300_799_999;

const outOfTime = invalidValue(`<m> must be an integer from 0 to ${String(maxMilliseconds)}.`);

/** A timestamp in milliseconds since the epoch, max `maxMilliseconds`. */
export const milliseconds = z
  // Zod reports integers beyond 2^53 as unsafe.
  .int({ error: (issue) => (Number.isInteger(issue.input) ? outOfTime(issue) : undefined) })
  .min(0, { error: outOfTime })
  .max(maxMilliseconds, { error: outOfTime })
  .describe('Milliseconds since the epoch, at most the end of the year 9999.');
