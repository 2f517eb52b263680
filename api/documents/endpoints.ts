import { addDocuments } from './add-documents.ts';
import { countDocuments } from './count-documents.ts';
import { deleteDocuments } from './delete-documents.ts';
import { getDocuments } from './get-documents.ts';
import { getMigrationStatus } from './get-migration-status.ts';
import { migrateDocument } from './migrate-document.ts';
import { moveDocuments } from './move-documents.ts';
import { searchDocuments } from './search-documents.ts';
import { updateDocuments } from './update-documents.ts';
import { updateDocumentsAccess, updateDocumentsAccessV1 } from './update-documents-access.ts';
import { updateDocumentsDisableState } from './update-documents-disable-state.ts';

export const documentEndpoints = [
  addDocuments,
  getDocuments,
  searchDocuments,
  countDocuments,
  updateDocuments,
  deleteDocuments,
  moveDocuments,
  updateDocumentsAccessV1,
  updateDocumentsAccess,
  updateDocumentsDisableState,
  migrateDocument,
  getMigrationStatus,
] as const;
