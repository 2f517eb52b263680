import { z } from 'zod';
import { acceptMigration } from '../../domain/migrations/accept-migration.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { customerId } from '../schemas.ts';

export const migrateDocument = endpoint({
  paths: ['/v2/organizations/documents/migrate'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Moves a document and everything in it to a new id.',
  data: z.strictObject({ organizationId: customerId, documentId: customerId, newDocumentId: customerId }),
  response: dataResponse(z.strictObject({ migrationId: z.string() })),
  errors: ['NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION'],
  example: { organizationId: 'acme', documentId: 'draft-7', newDocumentId: 'contract-7' },
  async handle({ data, tenant }, { em, startJob }) {
    const migration = await acceptMigration(em, tenant, data);
    startJob(migration);
    return succeeded('Document migration started successfully.', { migrationId: migration.jobId });
  },
});
