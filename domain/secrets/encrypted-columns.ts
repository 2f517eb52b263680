import { z } from 'zod';
import type { AadContext } from '../../platform/encryption/key-ring.ts';
import { configurationContext } from '../configuration/stored-form.ts';
import { deletionContext } from '../deletion/deletion-users.ts';
import { scopeNumbers } from '../idempotency/idempotency.entity.ts';
import type { IdempotencyScope } from '../idempotency/idempotent-request.ts';
import { idempotentResponseContext } from '../idempotency/stored-responses.ts';
import { nameOfNumber } from '../name-of-number.ts';
import { stagedContext } from '../rewriter/staged-requests.ts';
import { signingKeyContext } from '../signing/signing-key-context.ts';
import { webhookSecretContext } from '../webhooks/endpoints/secret-context.ts';
import { apiKeyContext } from '../workspaces/api-key-context.ts';
import { authTokenContext } from '../workspaces/auth-tokens.ts';
import { workspaceTokenContext } from '../workspaces/create-workspace.ts';

/** A row of any table: `bigint` as text, `bytea` as a buffer. */
export const SecretRow = z.record(z.string(), z.unknown());
export type SecretRow = Readonly<z.infer<typeof SecretRow>>;

/** A column of encrypted secrets and nulls. */
export interface EncryptedColumn {
  readonly table: string;
  readonly column: string;
  /** The primary key in index order, which a rotation follows. */
  readonly key: Readonly<Record<string, 'bigint' | 'smallint' | 'text' | 'bytea'>>;
  /** Other columns that the AAD context reads. */
  readonly reads: readonly string[];
  /** The AAD context of a row's secret. */
  context(row: SecretRow): AadContext;
}

const textOf = (row: SecretRow, column: string): string => {
  const value = row[column];
  if (typeof value !== 'string') throw new Error(`${column} is not text.`);
  return value;
};

const bytesOf = (row: SecretRow, column: string): Buffer => {
  const value = row[column];
  if (!Buffer.isBuffer(value)) throw new Error(`${column} is not bytea.`);
  return value;
};

const scopeOf = (row: SecretRow): IdempotencyScope['kind'] =>
  nameOfNumber(scopeNumbers, Number(row['scope']));

const webhookSecret = (column: 'secret_enc' | 'old_secret_enc'): EncryptedColumn => ({
  table: 'webhook_endpoint',
  column,
  key: { id: 'bigint' },
  reads: ['public_id', 'api_key_id'],
  context: (row) =>
    webhookSecretContext(column, { publicId: textOf(row, 'public_id'), apiKeyId: textOf(row, 'api_key_id') }),
});

const staged = (column: 'request_enc' | 'answer_enc'): EncryptedColumn => ({
  table: 'staged_request',
  column,
  key: { id: 'bigint' },
  reads: ['public_id', 'api_key_id'],
  context: (row) =>
    stagedContext(column, { requestId: textOf(row, 'public_id'), apiKeyId: textOf(row, 'api_key_id') }),
});

const deletion = (column: 'jws_enc' | 'users_enc'): EncryptedColumn => ({
  table: 'user_data_deletion',
  column,
  key: { job_id: 'bigint' },
  reads: ['api_key_id'],
  context: (row) =>
    deletionContext(column, { jobId: textOf(row, 'job_id'), tenantId: textOf(row, 'api_key_id') }),
});

/** Every encrypted column. A key rotation skips columns missing here. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  {
    table: 'workspace',
    column: 'token_enc',
    key: { id: 'bigint' },
    reads: ['public_id'],
    context: (row) => workspaceTokenContext(textOf(row, 'public_id')),
  },
  {
    table: 'api_key',
    column: 'key_enc',
    key: { id: 'bigint' },
    reads: ['key_hash', 'workspace_id'],
    context: (row) => apiKeyContext(bytesOf(row, 'key_hash'), textOf(row, 'workspace_id')),
  },
  {
    table: 'auth_token',
    column: 'token_enc',
    key: { token_hash: 'bytea' },
    reads: ['api_key_id'],
    context: (row) => authTokenContext(bytesOf(row, 'token_hash'), textOf(row, 'api_key_id')),
  },
  {
    table: 'key_config',
    column: 'secrets_enc',
    key: { api_key_id: 'bigint', kind: 'text' },
    reads: [],
    context: (row) => configurationContext(textOf(row, 'api_key_id'), textOf(row, 'kind')),
  },
  {
    table: 'signing_key',
    column: 'key_enc',
    key: { kid: 'text' },
    reads: [],
    context: (row) => signingKeyContext(textOf(row, 'kid')),
  },
  webhookSecret('secret_enc'),
  webhookSecret('old_secret_enc'),
  staged('request_enc'),
  staged('answer_enc'),
  deletion('jws_enc'),
  deletion('users_enc'),
  {
    table: 'idempotency',
    column: 'response_enc',
    key: { scope: 'smallint', scope_id: 'bigint', key_hash: 'bytea' },
    reads: [],
    context: (row) =>
      idempotentResponseContext(
        { kind: scopeOf(row), ownerId: textOf(row, 'scope_id') },
        bytesOf(row, 'key_hash'),
      ),
  },
];
