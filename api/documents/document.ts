import { z } from 'zod';
import type { DocumentInput } from '../../domain/documents/document-input.ts';
import type { DocumentRow } from '../../domain/documents/read-documents.ts';
import { inForce } from '../../domain/tenancy/access-types.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import { metadataOf, openRecord } from '../metadata.ts';
import { accessType, customerId, name } from '../schemas.ts';

const known = { documentId: customerId, documentName: name.optional(), accessType: accessType.optional() };

/** A document as it is sent; other members are free metadata. */
export const documentInput = openRecord(known);

/** Separates the known members from the free metadata. */
export function toDocumentInput(sent: z.output<typeof documentInput>): DocumentInput {
  const { documentId, documentName, accessType: type } = sent;
  return { documentId, documentName, accessType: type, metadata: metadataOf(sent, known) };
}

/** Document; `accessType` is what is in force, `inheritAccess` and `folderId` are additive. */
export const documentResponse = z.looseObject({
  id: z.string(),
  documentName: z.string(),
  disabled: z.boolean(),
  accessType,
  inheritAccess: z.boolean(),
  folderId: z.string(),
});

/** Writes rows of documents as responses show them: `accessType` is the one in force. */
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
