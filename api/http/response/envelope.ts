import { z } from 'zod';
import type { JsonSchema } from '../../openapi/json-schema.ts';

/** Schemas of the optional members beside `status`, `message` and `data`. A response declares those that it can have. */
const extras = {
  jobId: {
    type: 'string',
    description: 'Id of the job that finishes the work in the background. Absent when no work is left.',
  },
  deletedCount: { type: 'integer', minimum: 0, description: 'Number of records that this call deleted.' },
  annotationDeleted: {
    type: 'boolean',
    description: '`true` when the call has deleted the annotation with its last comment. Otherwise absent.',
  },
  documentIds: {
    type: 'array',
    items: { type: 'string' },
    description: 'Ids of the documents of the request, each once.',
  },
  missingDocumentIds: {
    type: 'array',
    items: { type: 'string' },
    description:
      'Ids of documents that do not exist, because of which nothing was written. Absent when all exist.',
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

export type ExtraName = keyof typeof extras;

interface ExtraValues extends Record<ExtraName, unknown> {
  readonly jobId: string;
  readonly deletedCount: number;
  readonly annotationDeleted: true;
  readonly documentIds: readonly string[];
  readonly missingDocumentIds: readonly string[];
}

/** Values of the declared extras, each of which may be absent. */
export type Extras<Name extends ExtraName = ExtraName> = Partial<Readonly<Pick<ExtraValues, Name>>>;

/** Extras of a reply. Those that its response does not declare do not compile. */
export type RepliedExtras<Name extends ExtraName> = Extras<Name> & {
  readonly [Other in Exclude<ExtraName, Name>]?: never;
};

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

/** Compiled schemas of responses. Compiled at first use, because compiling all of them would delay startup. */
const compiled = new WeakMap<z.ZodType, z.ZodType>();

/** Returns the schema itself when zod cannot compile it: a recursive schema, for example. */
function compiledOf(schema: z.ZodType): z.ZodType {
  let known = compiled.get(schema);
  if (known === undefined) {
    known = z.compile(schema);
    compiled.set(schema, known);
  }
  return known;
}

/** Throws `ResponseMismatch`, which names members and rules, never values. */
export function check(path: string, schema: z.ZodType, value: unknown): void {
  // Unlike `safeParse`, builds no copy of a valid value.
  if (z.validate(compiledOf(schema), value)) return;
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

/** Returns the schemas of declared extras. */
export const extraMembers = (names: readonly ExtraName[]): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(names.map((name) => [name, extras[name]]));

/** Names a body that several operations share: `BatchResult`, or `BatchResultWithJobId`. */
export const sharedName = (name: string, names: readonly ExtraName[]): string =>
  names.length === 0
    ? name
    : `${name}With${names.map((extra) => `${extra.charAt(0).toUpperCase()}${extra.slice(1)}`).join('And')}`;
