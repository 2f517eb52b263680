import { z } from 'zod';
import { acceptMigration } from '../../domain/migrations/accept-migration.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { rule } from '../rules.ts';
import { idOf } from '../schemas.ts';

const differs = 'newDocumentId must differ from documentId.';

export const migrateDocument = endpoint({
  paths: ['/v2/organizations/documents/migrate'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Moves a document and everything in it to a new id.',
  description:
    'Starts a job and returns at once; read its status with `/v2/organizations/documents/migrate/status`. ' +
    'The move is atomic at any size: until then the document has its old id, afterwards only the new one. ' +
    'Both ids are reserved until the job ends. After the move, calls that write to the old id ' +
    'fail with `NOT_FOUND`; `details.movedTo` names the new id for 90 days, or until the old id is added again ' +
    'or the document is deleted. The job emits ' +
    '`document.migrated`, or `document.migration_failed` when nothing was changed. Fails with `NOT_FOUND` ' +
    'for an unknown organization or document, `ALREADY_EXISTS` when the new id is taken, and ' +
    '`FAILED_PRECONDITION` with `details.migrationId` while another migration reserves one of the ids. ' +
    'Send an `Idempotency-Key`, so that a retry returns the first `migrationId`.',
  data: z
    .strictObject({
      organizationId: idOf('the organization'),
      documentId: idOf('the document'),
      newDocumentId: idOf('the document after the migration'),
    })
    .check(
      rule(differs, {}, ['documentId', 'newDocumentId'], ({ documentId, newDocumentId }, context) => {
        if (newDocumentId === documentId)
          context.addIssue({ code: 'custom', path: ['newDocumentId'], message: differs });
      }),
    ),
  response: dataResponse(
    z.strictObject({
      migrationId: z.string().describe('Id of the migration, which is also the id of its job.'),
    }),
  ),
  errors: ['NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION'],
  example: { organizationId: 'acme', documentId: 'draft-7', newDocumentId: 'contract-7' },
  async handle({ data, tenant }, { em, startJob }) {
    const migration = await acceptMigration(em, tenant, data);
    startJob(migration);
    return succeeded('Document migration started successfully.', { migrationId: migration.jobId });
  },
});
