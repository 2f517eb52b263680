import { z } from 'zod';
import { jobStatuses, jobStatusName } from '../../domain/jobs/job.entity.ts';
import { readMigration, type MigrationRow } from '../../domain/migrations/read-migration.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { customerId, milliseconds } from '../schemas.ts';

/** Status of a document migration. */
const migrationResponse = z.strictObject({
  migrationId: z.string(),
  status: z.enum(jobStatuses),
  documentId: z.string(),
  newDocumentId: z.string(),
  acceptedAt: milliseconds,
  startedAt: milliseconds.nullable(),
  completedAt: milliseconds.nullable(),
  counts: z
    .record(z.string(), z.int())
    .nullable()
    .meta({ description: 'Records of the document by kind, counted before the move. Null until counted.' }),
  verified: z.boolean().nullable().meta({
    description: 'Whether verification found every record under the new id. Null until verification has run.',
  }),
  error: z.string().nullable(),
});

export const getMigrationStatus = endpoint({
  paths: ['/v2/organizations/documents/migrate/status'],
  credentials: 'apiKey',
  mutates: false,
  summary:
    'Returns the status of a document migration. The status is kept for 90 days after the migration ends.',
  data: z.strictObject({ organizationId: customerId, migrationId: z.string().min(1).max(200) }),
  response: dataResponse(migrationResponse),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', migrationId: 'job_0123456789abcdefghijABCDEFGHIJ01' },
  async handle({ data, tenant }, { em }) {
    const migration = await readMigration(em, tenant, data);
    return succeeded('Migration status retrieved successfully.', migrationView(migration));
  },
});

function migrationView(migration: MigrationRow): z.input<typeof migrationResponse> {
  return {
    migrationId: migration.public_id,
    status: jobStatusName(migration.status),
    documentId: migration.old_ext_id,
    newDocumentId: migration.new_ext_id,
    acceptedAt: migration.accepted_at,
    startedAt: migration.started_at,
    completedAt: migration.ended_at,
    counts: migration.counts,
    verified: migration.verified,
    error: migration.error,
  };
}
