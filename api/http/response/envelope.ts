import { z } from 'zod';
import { jsonSchemaOf, type Described, type JsonSchema } from '../../openapi/json-schema.ts';

/** Members beside `status`, `message` and `data`. */
const extras = {
  jobId: z.string().optional(),
  deletedCount: z.int().optional(),
  documentIds: z.array(z.string()).optional(),
};

/** Values of `extras`. */
export type Extras = { readonly [Name in keyof typeof extras]?: z.output<(typeof extras)[Name]> };

/** `result` of most responses. */
export type Enveloped<Members = unknown> = { readonly status: 'success'; readonly message: string } & Members;

/** An answer that breaks its own schema: a bug, found before it leaves. */
export class ResponseMismatch extends Error {
  constructor(path: string, error: z.ZodError) {
    const where = error.issues
      .map((issue) => `${issue.path.map(String).join('.')}: ${issue.code}`)
      .join('; ');
    super(`The answer of ${path} does not fit its schema: ${where}`);
    this.name = 'AnswerMismatch';
  }
}

/** Throws `ResponseMismatch`; names members and rules, never values. */
export function check(path: string, schema: z.ZodType, value: unknown): void {
  const result = schema.safeParse(value);
  if (!result.success) throw new ResponseMismatch(path, result.error);
}

/** The success envelope; `data` is left out when it is undefined. */
export function envelope(
  message: string,
  data: unknown,
  extras: Extras & Record<string, unknown> = {},
): string {
  return JSON.stringify({ result: { status: 'success', message, data, ...extras } });
}

/** The envelope up to the place of `data`, which is then written by itself. */
export const openedEnvelope = (message: string): string =>
  `${envelope(message, undefined).slice(0, -2)},"data":`;

/** A schema of what is sent, within the schema of a body. */
export function within(name: string, sent: z.ZodType, body: (sent: JsonSchema) => JsonSchema): Described {
  const { schema, named } = jsonSchemaOf(name, sent, { io: 'output' });
  return { schema: body(schema), named };
}

/** An object that has all of these members. */
export const objectSchema = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

/** The envelope with the members named; those of `optional` may be absent. */
export function envelopeSchema(
  members: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const result = objectSchema({ status: { const: 'success' }, message: { type: 'string' }, ...members });
  return objectSchema({
    result: { ...result, properties: { ...(result['properties'] as object), ...optional } },
  });
}

/** Members that responses of endpoints that mutate may have beside `data`. */
export function extraMembers(mutates: boolean): Readonly<Record<string, JsonSchema>> {
  if (!mutates) return {};
  const { schema } = jsonSchemaOf('extras', z.object(extras), { io: 'output' });
  return schema['properties'] as Record<string, JsonSchema>;
}
