import { z } from 'zod';
import type { DocumentInput } from '../../domain/documents/document-input.ts';
import type { DocumentRow } from '../../domain/documents/read-documents.ts';
import { inForce } from '../../domain/tenancy/access-types.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import { metadataOf, openRecord } from '../cross-resource/metadata.ts';
import { accessType, idOf, name } from '../schemas.ts';

const known = {
  documentId: idOf('the document'),
  documentName: name
    .optional()
    .describe('Name of the document, max 1,000 characters. A new document without one is named by its id.'),
  accessType: accessType
    .optional()
    .describe(
      'Access type set on the document itself. Without one it inherits from its nearest folder that has ' +
        'one, else the default of the API key.',
    ),
};

/** A document in a request. Unknown members are free metadata. `access/update` restores inheritance. */
export const documentInput = openRecord(known, ['inheritAccess']);

/** Separates the known members from the free metadata. */
export function toDocumentInput(sent: z.output<typeof documentInput>): DocumentInput {
  const { documentId, documentName, accessType: type } = sent;
  return { documentId, documentName, accessType: type, metadata: metadataOf(sent, known) };
}

/** A document in a response. `accessType` is the effective one: the document's own, its folders', or the key's default. */
export const documentResponse = z
  .looseObject({
    id: z.string().describe('Id of the document.'),
    documentName: z.string().describe('Name of the document.'),
    disabled: z.boolean().describe('Whether access is off: every access check on the document then fails.'),
    accessType: accessType.describe(
      'Effective access type: that of the document, else of its nearest folder that has one, else the ' +
        'default of the API key.',
    ),
    inheritAccess: z.boolean().describe('True when the document has no access type of its own.'),
    folderId: z.string().describe('Id of the folder that contains the document; `root` at the top level.'),
  })
  .meta({ id: 'Document' });

/** Converts document rows to responses, with the effective `accessType`. */
export function documentView(tenant: Tenant) {
  return (row: DocumentRow) => ({
    ...row.metadata,
    id: row.ext_id,
    documentName: row.name,
    disabled: row.disabled,
    accessType: inForce([row.access_type, row.folder_access_type], tenant.switches.defaultDocumentAccessType),
    inheritAccess: row.access_type === null,
    folderId: row.folder_ext_id ?? 'root',
  });
}
