import { z } from 'zod';
import { crdtTypes, type CrdtType } from '../../domain/crdt/record.ts';
import { longestWait } from '../../domain/crdt/yjs-threads.ts';
import { both, either, has, never, present, rule } from '../rules.ts';
import { customerId, maxIdBytes, text } from '../schemas.ts';

/** A required id with a text of its own for when it is missing. */
const idOr = (missing: string) =>
  z
    .string({ error: ({ input }) => (input === undefined ? missing : undefined) })
    .pipe(customerId)
    .meta({ minLength: 1, maxLength: maxIdBytes });

/** Members of every operation on collaborative data. */
export const crdtDocument = {
  organizationId: idOr('Organization ID is required'),
  documentId: customerId,
  /** Ids are always the caller's own. */
  isServerIds: z.literal(false).optional(),
};

export const editorId = idOr('Editor ID is required.');

export const crdtType = z.enum(crdtTypes);

export const contentKey = text(1_000).min(1);

/** Who writes, for the record. */
export const crdtWriter = {
  lastUpdatedBy: customerId.optional(),
  sessionId: text(1_000).optional(),
};

const shapes = {
  text: { type: 'string', says: 'a string', fits: (data: unknown) => typeof data === 'string' },
  map: {
    type: 'object',
    says: 'an object',
    fits: (data: unknown) => typeof data === 'object' && data !== null && !Array.isArray(data),
  },
  array: { type: 'array', says: 'an array', fits: (data: unknown) => Array.isArray(data) },
  xml: { type: 'string', says: 'a string', fits: (data: unknown) => typeof data === 'string' },
  xmltext: { type: 'string', says: 'a string', fits: (data: unknown) => typeof data === 'string' },
} as const satisfies Record<CrdtType, { type: string; says: string; fits: (data: unknown) => boolean }>;

/** `data` must have the shape of its type. */
export const dataFitsType = rule<{ readonly data?: unknown; readonly type?: CrdtType | undefined }>(
  'data must be a string for the types text, xml and xmltext, an object for map and an array for array.',
  both(
    ...crdtTypes.map((type) =>
      either(
        never(both(has('type', { const: type }), present('data'))),
        has('data', { type: shapes[type].type }),
      ),
    ),
  ),
  ({ data, type }, context) => {
    if (data === undefined || type === undefined) return;
    const { says, fits } = shapes[type];
    if (fits(data)) return;
    context.addIssue({ code: 'custom', path: ['data'], message: `Data must be ${says} for type ${type}.` });
  },
);

/** Longest time of the step without a connection: the wait for a thread, and its work. */
export const longestReach = longestWait + 5_000;

/** Mebibytes of a request that carries content. */
export const maxCrdtBodyMebibytes = 10;

export const crdtResponse = z.strictObject({
  data: z.unknown(),
  id: z.string(),
  lastUpdate: z.string(),
  lastUpdatedBy: z.string(),
  sessionId: z.string().nullable(),
});
