import { z } from 'zod';
import { addRecord, refuseExisting } from '../../domain/crdt/add-record.ts';
import { changeContent } from '../../domain/crdt/change-content.ts';
import { messageResponse } from '../http/response/message.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { sends, rule } from '../rules.ts';
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
    data: z.unknown().describe('First content, max 10 MiB. Its shape must fit `type`.'),
    type: crdtType.describe('Type of the content within the Yjs document.'),
    contentKey: contentKey
      .default('content')
      .describe('Name of the content within the Yjs document, 1 to 1,000 characters.'),
    ...crdtWriter,
  })
  .check(
    rule('data is required.', sends('data'), [], (sent, context) => {
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
  description:
    'Creates a real Yjs document with the content under `contentKey`. Emits `crdt.update_data` within ' +
    'about 5 seconds, once for all writes of that time, while webhooks are on. An editor that ' +
    'has content fails with `ALREADY_EXISTS`, so a repeat adds nothing. An unknown organization or ' +
    'document fails with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data of `lastUpdatedBy` ' +
    'is being deleted.',
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
