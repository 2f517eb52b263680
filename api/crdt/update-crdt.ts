import { z } from 'zod';
import { loadBase } from '../../domain/crdt/resolve-record.ts';
import {
  applyChange,
  prepareUpdate,
  updateRecord,
  type CrdtChange,
} from '../../domain/crdt/update-record.ts';
import { messageResponse } from '../http/response/message.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { atLeastOne, anyOf, exclude, not, sends, rule } from '../rules.ts';
import {
  dataFitsType,
  contentKey,
  maxCrdtBodyMebibytes,
  crdtDocument,
  crdtType,
  crdtWriter,
  editorId,
  outsideLimitMs,
} from './record.ts';

/** Max size of a Yjs update. */
const maxBytes = 1_048_576;

const yjsUpdate = z
  .string()
  .superRefine((sent, context) => {
    const refuse = (message: string): void => context.addIssue({ code: 'custom', message });
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(sent)) refuse('<m> is not a valid Yjs update.');
    else if (Buffer.byteLength(sent, 'base64') > maxBytes) refuse('<m> must be at most 1 MiB.');
  })
  .meta({ contentEncoding: 'base64', description: 'A Yjs update in format version 1, base64, max 1 MiB.' });

const data = z
  .strictObject({
    ...crdtDocument,
    editorId,
    data: z
      .unknown()
      .optional()
      .describe(
        'New content, which replaces the current content through a Yjs change. Requires `type`; excludes ' +
          '`update`.',
      ),
    update: yjsUpdate.optional(),
    type: crdtType
      .optional()
      .describe('Type of the content, the same as the stored one. Required with `data`.'),
    contentKey: contentKey
      .optional()
      .describe('Name of the content, the same as the stored one. Absent: the stored one.'),
    ...crdtWriter,
  })
  .check(exclude('data', 'update'))
  .check(atLeastOne(['data', 'update'], 'At least one of data or update must be provided.'))
  .check(
    rule('data needs type.', anyOf(not(sends('data')), sends('type')), [], (sent, context) => {
      if (sent.data !== undefined && sent.type === undefined) {
        context.addIssue({ code: 'custom', path: ['type'], message: '<m> is required.' });
      }
    }),
  )
  .check(dataFitsType);

function changeOf({ data: content, update, ...sent }: z.output<typeof data>): CrdtChange {
  const change =
    update === undefined
      ? ({ kind: 'replace', data: content } as const)
      : ({ kind: 'merge', update: Buffer.from(update, 'base64') } as const);
  return { ...sent, change };
}

export const updateCrdt = outsideEndpoint({
  paths: ['/v2/crdt/update'],
  credentials: 'apiKey',
  maxBodyMebibytes: maxCrdtBodyMebibytes,
  summary: 'Merges a Yjs update into the document of an editor, or replaces its content.',
  description:
    'Updates merge in any order, and repeating one has no effect. `data` replaces the whole content: of ' +
    'two concurrent replacements one remains, never a mixture. Content is at most 10 MiB when decoded. ' +
    'Emits `crdt.update_data` within about 5 seconds, once for all writes of that time, while ' +
    'webhooks are on. An editor without content fails with `NOT_FOUND`, and another `type` or `contentKey` ' +
    'than the stored one with `INVALID_ARGUMENT`. Fails with `FAILED_PRECONDITION` while the data of ' +
    '`lastUpdatedBy` is being deleted.',
  data,
  response: messageResponse,
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: {
    organizationId: 'acme',
    documentId: 'plan',
    editorId: 'notes',
    type: 'map',
    data: { title: 'Plan', done: true },
    lastUpdatedBy: 'u1',
  },
  outside: {
    limitMs: outsideLimitMs,
    async prepare({ data: sent, tenant }, { em }) {
      const change = changeOf(sent);
      return { tenant, change, found: await prepareUpdate(em, tenant, change) };
    },
    async reach({ tenant, change, found }, _signal, { em, reserve, isLast }) {
      if (found.parts === undefined) await reserve(found.bytes);
      const base = await loadBase(em, tenant, found);
      return { change, applied: await applyChange(tenant, base, change), isLast };
    },
  },
  async handle({ tenant, outcome: { change, applied, isLast } }, { em }) {
    await updateRecord(em, tenant, change, applied, isLast);
    return { message: 'CRDT data updated successfully.' };
  },
});
