import { z } from 'zod';
import type { DocumentInput } from '../../domain/documents/document-input.ts';
import type { DocumentRow } from '../../domain/documents/read-documents.ts';
import { inForce } from '../../domain/tenancy/access-types.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import { metadataOf, openRecord } from '../metadata.ts';
import { accessType, customerId, name } from '../schemas.ts';

const known = { documentId: customerId, documentName: name.optional(), accessType: accessType.optional() };

/** A document in a request. Unknown members are free metadata. */
export const documentInput = openRecord(known);

/** Separates the known members from the free metadata. */
export function toDocumentInput(sent: z.output<typeof documentInput>): DocumentInput {
  const { documentId, documentName, accessType: type } = sent;
  return { documentId, documentName, accessType: type, metadata: metadataOf(sent, known) };
}

/** A document in a response. `accessType` is the effective one: the document's own, its folders', or the key's default. */
export const documentResponse = z.looseObject({
  id: z.string(),
  documentName: z.string(),
  disabled: z.boolean(),
  accessType,
  inheritAccess: z.boolean(),
  folderId: z.string(),
});

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
