import { z } from 'zod';
import { crdtTypes, type CrdtType } from '../../domain/crdt/record.ts';
import { maxElapsedMs } from '../../domain/crdt/yjs-limits.ts';
import { maxWaitMs } from '../../domain/crdt/yjs-pool.ts';
import { maxIdBytes } from '../../domain/id-size.ts';
import { isJsonObject } from '../../platform/json/json-members.ts';
import { allOf, anyOf, has, not, sends, rule } from '../rules.ts';
import { customerId, idOf, text } from '../schemas.ts';

/** A required id with its own message when missing. */
const idOr = (missing: string) =>
  z
    .string({ error: ({ input }) => (input === undefined ? missing : undefined) })
    .pipe(customerId)
    .meta({ minLength: 1, maxLength: maxIdBytes });

/** Members of every operation on collaborative data. */
export const crdtDocument = {
  organizationId: idOr('Organization ID is required').describe('Id of the organization, 1 to 1,000 bytes.'),
  documentId: idOf('the document'),
  /** Server ids are not supported. */
  isServerIds: z.literal(false).optional().describe('Accepted only as false: server ids are not supported.'),
};

export const editorId = idOr('Editor ID is required.').describe('Id of the editor, 1 to 1,000 bytes.');

export const crdtType = z.enum(crdtTypes).meta({ id: 'CollaborativeDataType' });

export const contentKey = text(1_000).min(1);

/** The writer, stored with the record. */
export const crdtWriter = {
  lastUpdatedBy: customerId
    .optional()
    .describe('Id of the user who writes, max 1,000 bytes. Absent: unknown.'),
  sessionId: text(1_000).optional().describe('Id of the editing session, max 1,000 characters.'),
};

const shapes = {
  text: { schema: { type: 'string' }, noun: 'a string', fits: (data: unknown) => typeof data === 'string' },
  map: {
    schema: { type: 'object' },
    noun: 'an object',
    fits: isJsonObject,
  },
  array: {
    schema: { type: 'array', items: {} },
    noun: 'an array',
    fits: (data: unknown) => Array.isArray(data),
  },
  xml: { schema: { type: 'string' }, noun: 'a string', fits: (data: unknown) => typeof data === 'string' },
  xmltext: {
    schema: { type: 'string' },
    noun: 'a string',
    fits: (data: unknown) => typeof data === 'string',
  },
} as const satisfies Record<CrdtType, { schema: object; noun: string; fits: (data: unknown) => boolean }>;

/** `data` must have the shape of its type. */
export const dataFitsType = rule<{ readonly data?: unknown; readonly type?: CrdtType | undefined }, 'type'>(
  'data must be a string for the types text, xml and xmltext, an object for map and an array for array.',
  allOf(
    ...crdtTypes.map((type) =>
      anyOf(not(allOf(has('type', { const: type }), sends('data'))), has('data', shapes[type].schema)),
    ),
  ),
  ['type'],
  ({ data, type }, context) => {
    if (data === undefined || type === undefined) return;
    const { noun, fits } = shapes[type];
    if (fits(data)) return;
    context.addIssue({ code: 'custom', path: ['data'], message: `Data must be ${noun} for type ${type}.` });
  },
);

/** Max duration of the step that holds no connection: the waits for room and for a thread or process, and its work. */
export const outsideLimitMs = maxWaitMs + maxElapsedMs + 10_000;

/** Max body of a request about collaborative data: 1,000 ids alone may exceed 1 MiB. */
export const maxCrdtBodyMebibytes = 10;

export const crdtResponse = z
  .strictObject({
    data: z
      .unknown()
      .describe('Decoded content: a string for text and xml, an object for map, an array for array.'),
    id: z.string().describe('Id of the editor.'),
    lastUpdate: z.string().describe('When the content last changed, in ISO 8601 (UTC).'),
    lastUpdatedBy: z.string().describe('Id of the user of the last write. Empty when unknown.'),
    sessionId: z.string().nullable().describe('Editing session of the last write. Null when none was sent.'),
  })
  .meta({ id: 'CollaborativeData' });
