import { z } from 'zod';
import { addRecord, refuseExisting } from '../../domain/crdt/add-record.ts';
import { changeContent } from '../../domain/crdt/change-content.ts';
import { messageResponse } from '../http/response/message.ts';
import { outsideEndpoint } from '../http/endpoint.ts';
import { present, rule } from '../rules.ts';
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

const data = z
  .strictObject({
    ...crdtDocument,
    editorId,
    data: z.unknown(),
    type: crdtType,
    contentKey: contentKey.default('content'),
    ...crdtWriter,
  })
  .check(
    rule('data is required.', present('data'), (sent, context) => {
      if (sent.data === undefined) {
        context.addIssue({ code: 'custom', path: ['data'], message: '<m> is required.' });
      }
    }),
  )
  .check(dataFitsType);

export const addCrdt = outsideEndpoint({
  paths: ['/v2/crdt/add'],
  credentials: 'apiKey',
  maxBodyMebibytes: maxCrdtBodyMebibytes,
  summary: 'Creates the Yjs document of an editor with its first content.',
  data,
  response: messageResponse,
  errors: ['NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION'],
  example: {
    organizationId: 'acme',
    documentId: 'plan',
    editorId: 'new-notes',
    type: 'map',
    data: { title: 'Plan', done: false },
    lastUpdatedBy: 'u1',
  },
  outside: {
    limitMs: outsideLimitMs,
    async prepare({ data: sent, tenant }, { em }) {
      await refuseExisting(em, tenant, sent);
      return { sent, tenant };
    },
    reach: async ({ sent: { type, contentKey: key, data: content }, tenant }) =>
      changeContent(tenant, {
        type,
        contentKey: key,
        base: [],
        change: { kind: 'replace', data: content },
      }),
  },
  async handle({ data: sent, tenant, outcome }, { em }) {
    await addRecord(em, tenant, sent, outcome);
    return { message: 'CRDT data added successfully.' };
  },
});
