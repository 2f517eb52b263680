import type { z } from 'zod';
import type { Outcomes } from '../../../domain/batch.ts';
import { inTurns, type Pausable } from '../../../platform/process/in-turns.ts';
import { successStatus, type AnyAnswer, type Extras, type Reply } from '../answer.ts';
import type { Endpoint } from '../endpoint.ts';

/** An answer that breaks its own schema: a bug, found before it leaves. */
export class AnswerMismatch extends Error {
  constructor(path: string, error: z.ZodError) {
    const where = error.issues
      .map((issue) => `${issue.path.map(String).join('.')}: ${issue.code}`)
      .join('; ');
    super(`The answer of ${path} does not fit its schema: ${where}`);
    this.name = 'AnswerMismatch';
  }
}

/** Throws `AnswerMismatch`; names members and rules, never values. */
export function check(path: string, schema: z.ZodType, value: unknown): void {
  const result = schema.safeParse(value);
  if (!result.success) throw new AnswerMismatch(path, result.error);
}

/** The success envelope; `data` is left out when it is undefined. */
export function envelope(
  message: string,
  data: unknown,
  extras: Extras & Record<string, unknown> = {},
): string {
  return JSON.stringify({ result: { status: 'success', message, data, ...extras } });
}

/** The whole body of an answer that is not streamed; each part is checked by its schema. A batch is written in turns with other requests. */
export async function serialize(endpoint: Endpoint, reply: Reply<AnyAnswer>): Promise<string> {
  const { answer, paths } = endpoint;
  const extras = 'extras' in reply ? reply.extras : undefined;
  if (answer.kind === 'data' && 'data' in reply) {
    check(paths[0], answer.schema, reply.data);
    return envelope(reply.message, reply.data, extras);
  }
  if (answer.kind === 'accepted' && 'data' in reply) {
    check(paths[0], answer.schema, reply.data);
    const { message, data } = reply;
    return JSON.stringify({ status: 'success', message, data, statusCode: successStatus(answer) });
  }
  if (answer.kind === 'result' && 'result' in reply) {
    check(paths[0], answer.schema, reply.result);
    return JSON.stringify({ result: reply.result });
  }
  if (answer.kind === 'batch' && 'items' in reply)
    return inTurns(batch(paths[0], answer.item, reply.message, reply.items, extras));
  if (answer.kind === 'message' && 'message' in reply) return envelope(reply.message, undefined, extras);
  throw new Error(`${paths[0]} answered in another form than it declares.`);
}

function* batch(
  path: string,
  schema: z.ZodType,
  message: string,
  items: Outcomes,
  extras: Extras | undefined,
): Pausable<string> {
  let failedCount = 0;
  const written: string[] = [];
  for (const [id, outcome] of items) {
    const item = Object.assign({ success: outcome.success, id }, outcome);
    // Entry by entry: a record schema would drop an own key `__proto__`, and so would an object built of them.
    check(path, schema, item);
    if (!outcome.success) failedCount += 1;
    written.push(`${JSON.stringify(id)}:${JSON.stringify(item)}`);
    yield;
  }
  const rest = JSON.stringify({ failedCount, ...extras }).slice(1);
  return `${envelope(message, undefined).slice(0, -2)},"data":{${written.join(',')}},${rest}}`;
}
