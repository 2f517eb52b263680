import { z } from 'zod';
import { jsonSchemaOf, type Described, type JsonSchema } from '../../openapi/json-schema.ts';

/** Optional members beside `status`, `message` and `data`. */
const extras = {
  jobId: z
    .string()
    .optional()
    .describe('Id of the job that finishes the work in the background. Absent when no work is left.'),
  deletedCount: z.int().optional().describe('Number of records that this call deleted.'),
  annotationDeleted: z
    .literal(true)
    .optional()
    .describe('The call has deleted the annotation with its last comment. Otherwise absent.'),
  documentIds: z.array(z.string()).optional().describe('Ids of the documents that this call wrote.'),
};

/** Values of `extras`. */
export type Extras = { readonly [Name in keyof typeof extras]?: z.output<(typeof extras)[Name]> };

/** The `result` of a response in the success envelope. */
export type Enveloped<Members = unknown> = { readonly status: 'success'; readonly message: string } & Members;

/** A response does not match its schema. Thrown before it is sent. */
export class ResponseMismatch extends Error {
  constructor(path: string, error: z.ZodError) {
    const where = error.issues
      .map((issue) => `${issue.path.map(String).join('.')}: ${issue.code}`)
      .join('; ');
    super(`response of ${path} does not match its schema: ${where}`);
    this.name = 'ResponseMismatch';
  }
}

/** Throws `ResponseMismatch`, which names members and rules, never values. */
export function check(path: string, schema: z.ZodType, value: unknown): void {
  const result = schema.safeParse(value);
  if (!result.success) throw new ResponseMismatch(path, result.error);
}

/** Writes the success envelope, without `data` when it is undefined. */
export function envelope(
  message: string,
  data: unknown,
  extras: Extras & Record<string, unknown> = {},
): string {
  return JSON.stringify({ result: { status: 'success', message, data, ...extras } });
}

/** Writes the envelope up to the value of `data`, for bodies that are written in chunks. */
export const openedEnvelope = (message: string): string =>
  `${envelope(message, undefined).slice(0, -2)},"data":`;

/** Builds the schema of a body around the schema of its content. */
export function within(name: string, sent: z.ZodType, body: (sent: JsonSchema) => JsonSchema): Described {
  const { schema, named } = jsonSchemaOf(name, sent, { io: 'output' });
  return { schema: body(schema), named };
}

/** The schema of an object that requires all these members. */
export const objectSchema = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

/** Schemas of the members of every success envelope. */
export const successMembers = {
  status: { const: 'success', description: 'Always `success`: failures have another envelope.' },
  message: { type: 'string', description: 'The outcome in one sentence, for logs and people.' },
} satisfies Readonly<Record<string, JsonSchema>>;

/** The schema of `data` where the response's own schema has no description. */
export const dataSchema = (data: JsonSchema): JsonSchema => ({
  description: 'The result of the operation.',
  ...data,
});

/** The schema of a body around its `result`. */
export const resultSchema = (result: JsonSchema): JsonSchema =>
  objectSchema({ result: { description: 'The response of a successful call.', ...result } });

/** The schema of the success envelope. Members in `optional` may be absent. */
export function envelopeSchema(
  members: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const result = objectSchema({ ...successMembers, ...members });
  return resultSchema({ ...result, properties: { ...(result['properties'] as object), ...optional } });
}

/** Schemas of the optional members that mutating endpoints return beside `data`. */
export function extraMembers(mutates: boolean): Readonly<Record<string, JsonSchema>> {
  if (!mutates) return {};
  const { schema } = jsonSchemaOf('extras', z.object(extras), { io: 'output' });
  return schema['properties'] as Record<string, JsonSchema>;
}
