import { z } from 'zod';
import type { Outcomes } from '../../../domain/batch.ts';
import type { ItemFailure } from '../../../domain/errors.ts';
import { inTurns, type Pausable } from '../../../platform/process/in-turns.ts';
import {
  check,
  envelopeSchema,
  extraMembers,
  openedEnvelope,
  within,
  type Enveloped,
  type Extras,
} from './envelope.ts';
import type { WholeResponse } from './response-kind.ts';

/** Of a `BatchResponse`. */
export interface BatchReply {
  readonly message: string;
  readonly items: Outcomes;
  readonly extras?: Extras;
}

/** How one item of a batch went; it has a `code` exactly when it failed. */
type BatchItem<Members extends z.ZodRawShape> = { readonly id: string; readonly message: string } & (
  | ({ readonly success: true; readonly code?: never } & Partial<z.input<z.ZodObject<Members>>>)
  | { readonly success: false; readonly code: ItemFailure }
);

type BatchResult<Members extends z.ZodRawShape> = Enveloped<{
  readonly data: Readonly<Record<string, BatchItem<Members>>>;
  readonly failedCount: number;
}>;

/** `data` maps each id of the request to how it went. */
type BatchResponse<Members extends z.ZodRawShape> = WholeResponse<
  BatchReply,
  BatchResult<Members>,
  BatchResult<Members> & Extras
>;

const itemCodes = [
  'not-found',
  'already-exists',
  'failed-precondition',
  'invalid-argument',
  'permission-denied',
  'internal',
] as const satisfies readonly ItemFailure[];

/** `{success, id, message, code?}` and the members named; those are absent from items that failed. */
export function batchResponse<Members extends z.ZodRawShape = Record<never, never>>(
  members: Members = {} as Members,
): BatchResponse<Members> {
  const item = z.strictObject({
    success: z.boolean(),
    id: z.string(),
    message: z.string(),
    code: z.enum(itemCodes).optional(),
    ...z.object(members).partial().shape,
  });
  return {
    kind: 'batch',
    httpStatus: 200,
    // In turns with other requests.
    write: (reply, path) => inTurns(written(reply, item, path)),
    bodySchema: (name, mutates) =>
      within(name, item, (schema) => {
        const data = {
          type: 'object',
          description: 'How each item went, by its id.',
          additionalProperties: schema,
        };
        const failedCount = { type: 'integer', description: 'How many items failed.' };
        return envelopeSchema({ data, failedCount }, extraMembers(mutates));
      }),
  };
}

function* written({ message, items, extras }: BatchReply, schema: z.ZodType, path: string): Pausable<string> {
  let failedCount = 0;
  const entries: string[] = [];
  for (const [id, outcome] of items) {
    const item = Object.assign({ success: outcome.success, id }, outcome);
    // Entry by entry: a record schema would drop an own key `__proto__`, and so would an object built of them.
    check(path, schema, item);
    if (!outcome.success) failedCount += 1;
    entries.push(`${JSON.stringify(id)}:${JSON.stringify(item)}`);
    yield;
  }
  const rest = JSON.stringify({ failedCount, ...extras }).slice(1);
  return `${openedEnvelope(message)}{${entries.join(',')}},${rest}}`;
}
