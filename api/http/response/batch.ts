import { z } from 'zod';
import type { Outcomes } from '../../../domain/batch.ts';
import type { ItemFailure } from '../../../domain/errors.ts';
import { inTurns, type Pausable } from '../../../platform/process/in-turns.ts';
import {
  check,
  envelopeSchema,
  extraMembers,
  openedEnvelope,
  sharedName,
  type Enveloped,
  type ExtraName,
  type Extras,
  type RepliedExtras,
} from './envelope.ts';
import type { WholeResponse } from './response-kind.ts';

/** The reply of a handler with a `BatchResponse`. `Members` are those that each item has beside the outcome. */
export interface BatchReply<Extra extends ExtraName = never, Members extends object = object> {
  readonly message: string;
  readonly items: Outcomes<Members>;
  readonly extras?: RepliedExtras<Extra>;
}

/** Members of an outcome in a reply. An id that is not a text is one of them. */
type ItemMembers<Members extends z.ZodRawShape, Id> = (keyof Members extends never
  ? object
  : z.input<z.ZodObject<Members>>) &
  (Id extends number ? { readonly id: Id } : object);

/** Outcome of one item of a batch. Only failed items have a `code`. */
type BatchItem<Members extends z.ZodRawShape, Id> = {
  readonly id: Id;
  readonly message: string;
} & Partial<z.input<z.ZodObject<Members>>> &
  (
    | { readonly success: true; readonly code?: never }
    | { readonly success: false; readonly code: ItemFailure }
  );

type BatchResult<Members extends z.ZodRawShape, Extra extends ExtraName, Id> = Enveloped<
  {
    readonly data: Readonly<Record<string, BatchItem<Members, Id>>>;
    readonly failedCount: number;
  } & Extras<Extra>
>;

/** `data` maps each id of the request to its outcome. */
type BatchResponse<Members extends z.ZodRawShape, Extra extends ExtraName, Id> = WholeResponse<
  BatchReply<Extra, ItemMembers<Members, Id>>,
  BatchResult<Members, Extra, Id>
>;

const itemCodes = [
  'not-found',
  'already-exists',
  'failed-precondition',
  'invalid-argument',
  'permission-denied',
  'internal',
] as const satisfies readonly ItemFailure[];

/** An item id that is not a text; its outcome contains it as `id`. */
export const numberId = z.int().describe('Id of the item, as in the request.');

const textId = z.string().describe('Id of the item, as in the request.');

const outcomeMembers = {
  success: z.boolean().describe('Whether the operation succeeded for this item.'),
  message: z.string().describe('Outcome of this item in one sentence.'),
  code: z.enum(itemCodes).optional().describe('Kind of the failure. Absent when the item succeeded.'),
};

const plainItem = z.strictObject({ ...outcomeMembers, id: textId }).meta({ id: 'BatchItem' });

/**
 * Declares a batch response. Items are `{success, id, message, code?}` and may have `members` as well.
 * `extras` are the optional members beside `data`.
 */
export function batchResponse<
  Members extends z.ZodRawShape = Record<never, never>,
  const Extra extends ExtraName = never,
  Id extends z.ZodType<string | number> = typeof textId,
>(
  members: Members = {} as Members,
  extras: readonly Extra[] = [],
  id: Id = textId as z.ZodType as Id,
): BatchResponse<Members, Extra, z.output<Id>> {
  const isPlain = Object.keys(members).length === 0 && (id as z.ZodType) === textId;
  const item = isPlain
    ? plainItem
    : z.strictObject({ ...outcomeMembers, id, ...z.object(members).partial().shape });
  return {
    kind: 'batch',
    httpStatus: 200,
    client: 'call',
    // Yields to other requests between items.
    write: (reply, path) => inTurns(written(reply, item, path)),
    bodySchema(name, components) {
      const data = {
        type: 'object',
        description: 'Outcome of each item, by its id.',
        additionalProperties: components.of(item, 'response'),
      };
      const failedCount = { type: 'integer', minimum: 0, description: 'Number of failed items.' };
      const body = envelopeSchema({ data, failedCount }, extraMembers(extras));
      return components.add(isPlain ? sharedName('BatchResult', extras) : name, body);
    },
  };
}

function* written(
  { message, items, extras }: BatchReply<ExtraName>,
  schema: z.ZodType,
  path: string,
): Pausable<string> {
  let failedCount = 0;
  const entries: string[] = [];
  for (const [id, outcome] of items) {
    const item = Object.assign({ success: outcome.success, id }, outcome);
    // Checks each entry alone: a record schema and a built object would drop an own key `__proto__`.
    check(path, schema, item);
    if (!outcome.success) failedCount += 1;
    entries.push(`${JSON.stringify(id)}:${JSON.stringify(item)}`);
    yield;
  }
  const rest = JSON.stringify({ failedCount, ...extras }).slice(1);
  return `${openedEnvelope(message)}{${entries.join(',')}},${rest}}`;
}
