import { z } from 'zod';
import { jobStatusName } from '../../domain/jobs/job.entity.ts';
import { readMigration, type MigrationRow } from '../../domain/migrations/read-migration.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { customerId, idOf, jobStatus, milliseconds } from '../schemas.ts';

/** Status of a document migration. */
const migrationResponse = z
  .strictObject({
    migrationId: z.string().describe('Id of the migration.'),
    status: jobStatus.describe(
      '`pending` until a worker starts it, `in_progress`, then `completed` or `failed`. A failed migration ' +
        'changed nothing.',
    ),
    documentId: z.string().describe('Id of the document before the migration.'),
    newDocumentId: z.string().describe('Id of the document after the migration.'),
    acceptedAt: milliseconds.describe('When the request was accepted, in milliseconds since the epoch.'),
    startedAt: milliseconds
      .nullable()
      .describe('When a worker started, in milliseconds since the epoch. Null while pending.'),
    completedAt: milliseconds
      .nullable()
      .describe('When the migration ended, in milliseconds since the epoch. Null until then.'),
    counts: z
      .record(z.string(), z.int())
      .nullable()
      .meta({ description: 'Records of the document by kind, counted before the move. Null until counted.' }),
    verified: z
      .boolean()
      .nullable()
      .meta({
        description:
          'Whether verification found the document with its records under the new id, and not under the old ' +
          'one. Records deleted meanwhile do not count as missing. Null until verification has run.',
      }),
    error: z.string().nullable().describe('Why the migration failed. Null otherwise.'),
  })
  .meta({ id: 'DocumentMigration' });

export const getMigrationStatus = endpoint({
  paths: ['/v2/organizations/documents/migrate/status'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns the status of a document migration.',
  description:
    'The status is kept for 90 days after the migration ends. The status is readable from the moment the ' +
    'migration is accepted. Poll every 250 ms until it is `completed` or `failed`, or receive the events ' +
    '`document.migrated` and `document.migration_failed`. An unknown migration, or one of another ' +
    'organization, fails with `NOT_FOUND`.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    migrationId: customerId.describe('Id of the migration, from `/v2/organizations/documents/migrate`.'),
  }),
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
