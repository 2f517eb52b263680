import { z } from 'zod';
import { moveDocuments as move } from '../../domain/documents/move-documents.ts';
import { lockFolder } from '../../domain/folders/resolve-folder.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { messageResponse } from '../http/response/message.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { customerId, idOf, items } from '../schemas.ts';

/** Limit on ids as sent: duplicates count. */
const maxMoved = 30;

export const moveDocuments = endpoint({
  paths: bothVersions('organizations/documents/move'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Moves up to 30 documents to a folder or to the top level, all or none.',
  description:
    'Inherited access follows the new folder at once. An unknown document, folder or organization fails ' +
    'the call with `NOT_FOUND`, and `details.documentIds` lists unknown documents; no document is then ' +
    'moved. Emits no event; repeating the call changes nothing.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    documentIds: items(customerId, maxMoved)
      .transform((sent) => [...new Set(sent)])
      .describe('Ids of the documents to move, max 30 as sent.'),
    folderId: customerId.describe('Id of the target folder, max 1,000 bytes; `root` for the top level.'),
  }),
  response: messageResponse,
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', documentIds: ['plan'], folderId: 'root' },
  async handle({ data, tenant }, { em }) {
    const organization = await lockOrganization(em, tenant, data.organizationId);
    const folder = await lockFolder(em, tenant, organization, data.folderId);
    await move(em, organization, data.documentIds, folder);
    return { message: 'Documents moved successfully.' };
  },
});
