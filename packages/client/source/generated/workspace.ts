/* Generated from the endpoint values by `node cli/write-tables.ts`. */

import type { ListCall } from '../list-call.ts';
import type { CallOptions, WriteOptions } from '../options.ts';
import type * as types from './types.ts';

export interface WorkspaceOperations {
  readonly workspace: {
    /**
     * Returns the workspace with its owner and its first 100 API keys.
     *
     * Returns the secret of the workspace and its API keys. `/v2/workspace/apikeys/get` lists all keys.
     *
     * POST /v2/workspace/get
     */
    get(data?: types.WorkspaceGetRequest, options?: CallOptions): Promise<types.WorkspaceGetResponse>;
    readonly apiKeys: {
      /**
       * Creates an API key, which is a separate tenant, and an auth token unless `createAuthToken` is false.
       *
       * Nothing of one key is visible through another. Services that are sent are stored as by the update operations of the configuration. Key and token can be read again with `/v2/workspace/apikeys/get` and `/v2/workspace/authtokens/get`. Without an `Idempotency-Key`, a repeated call creates another key. The audit log records the call, without secrets.
       *
       * POST /v2/workspace/apikey/create
       */
      create(
        data: types.WorkspaceApiKeysCreateRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceApiKeysCreateResponse>;
      /**
       * Renames an API key of the workspace.
       *
       * An unknown key, or one of another workspace, fails with `NOT_FOUND`. Repeating the call changes nothing. The audit log records the call.
       *
       * POST /v2/workspace/apikey/update
       */
      update(
        data: types.WorkspaceApiKeysUpdateRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceApiKeysUpdateResponse>;
      /**
       * Disables an API key of the workspace: its calls are refused, its jobs and deliveries wait.
       *
       * Calls with the key fail with `PERMISSION_DENIED` from the next request on, in every process. Data is kept, and events wait. An unknown key, or one of another workspace, fails with `NOT_FOUND`. The audit log records the call. Repeating the call changes nothing.
       *
       * POST /v2/workspace/apikey/disable
       */
      disable(
        data: types.WorkspaceApiKeysDisableRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceApiKeysDisableResponse>;
      /**
       * Enables an API key of the workspace and resumes its jobs and deliveries.
       *
       * Calls work again from the next request on, in every process. Repeating the call changes nothing. An unknown key, or one of another workspace, fails with `NOT_FOUND`; a key that an operator disabled fails with `FAILED_PRECONDITION`. The audit log records the call.
       *
       * POST /v2/workspace/apikey/enable
       */
      enable(
        data: types.WorkspaceApiKeysEnableRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceApiKeysEnableResponse>;
      /**
       * Deletes an API key of the workspace with all of its data.
       *
       * Permanent. From the commit on, calls with the key fail and its deliveries stop. The job deletes all rows of the key, verifies that none is left, and signs a receipt; read it with `/v2/workspace/apikey/deletion/get`. It cannot be canceled. A `confirmName` that is not the name of the key fails with `INVALID_ARGUMENT`. An unknown key, one of another workspace, or one that is deleted already fails with `NOT_FOUND`. The audit log records the call.
       *
       * POST /v2/workspace/apikey/delete
       */
      delete(
        data: types.WorkspaceApiKeysDeleteRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceApiKeysDeleteResponse>;
      readonly deletion: {
        /**
         * Returns the status of the deletion of an API key of the workspace, and its receipt for 366 days.
         *
         * Poll until `status` is `completed`. A job that is unknown, or of a key of another workspace, fails with `NOT_FOUND`.
         *
         * POST /v2/workspace/apikey/deletion/get
         */
        get(
          data: types.WorkspaceApiKeysDeletionGetRequest,
          options?: CallOptions,
        ): Promise<types.WorkspaceApiKeysDeletionGetResponse>;
      };
      /**
       * Lists the API keys of the workspace in order of creation.
       *
       * Returns pages of up to 100 keys. `id` is the key itself, a secret. Includes disabled keys; deleted ones are left out.
       *
       * POST /v2/workspace/apikeys/get
       */
      get(
        data?: types.WorkspaceApiKeysGetRequest,
        options?: CallOptions,
      ): ListCall<types.WorkspaceApiKeysGetResponse, types.ListedApiKey>;
    };
    readonly authTokens: {
      /**
       * Lists the valid auth tokens of an API key, the current one first.
       *
       * Returns none for a key that was created without one. Tokens can be read again, because they are stored encrypted. Scoped tokens are not listed here: their secrets cannot be read. An unknown key, or one of another workspace, fails with `NOT_FOUND`.
       *
       * POST /v2/workspace/authtokens/get
       */
      get(
        data: types.WorkspaceAuthTokensGetRequest,
        options?: CallOptions,
      ): Promise<types.WorkspaceAuthTokensGetResponse>;
      /**
       * Replaces the auth token of an API key.
       *
       * Former tokens stop working at once, or after `overlapSeconds`. Creates the first token of a key without one. Scoped tokens are kept. An unknown key, or one of another workspace, fails with `NOT_FOUND`; a key with 100 tokens that are still valid fails with `FAILED_PRECONDITION`. Send an `Idempotency-Key`, so that a retry returns the same token. The audit log records the call, without the secret.
       *
       * POST /v2/workspace/authtoken/reset
       */
      reset(
        data: types.WorkspaceAuthTokensResetRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceAuthTokensResetResponse>;
      /**
       * Adds an auth token that may call only the operations of its scopes.
       *
       * Returns the secret, which cannot be read again. Calls with the token send it in `x-svc-auth-token`; an operation outside its scopes fails with `PERMISSION_DENIED`. An unknown key, or one of another workspace, fails with `NOT_FOUND`, and the 21st valid token with `FAILED_PRECONDITION`. Send an `Idempotency-Key`, so that a retry returns the same token. The audit log records the call, without the secret.
       *
       * POST /v2/workspace/authtokens/add
       */
      add(
        data: types.WorkspaceAuthTokensAddRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceAuthTokensAddResponse>;
      /**
       * Lists the scoped auth tokens of an API key in order of creation, without secrets.
       *
       * Lists valid tokens, and expired and revoked ones for one day: the last 80 of them at most. An unknown key, or one of another workspace, fails with `NOT_FOUND`.
       *
       * POST /v2/workspace/authtokens/list
       */
      list(
        data: types.WorkspaceAuthTokensListRequest,
        options?: CallOptions,
      ): Promise<types.WorkspaceAuthTokensListResponse>;
      /**
       * Revokes a scoped auth token.
       *
       * Takes effect at once in every process; repeating the call changes nothing. Calls with the token fail from the next request on. An unknown key or token, or one of another workspace, fails with `NOT_FOUND`. The audit log records the call.
       *
       * POST /v2/workspace/authtokens/revoke
       */
      revoke(
        data: types.WorkspaceAuthTokensRevokeRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceAuthTokensRevokeResponse>;
    };
    readonly usage: {
      /**
       * Lists the usage of an API key of the workspace, by hour or by day.
       *
       * Returns periods in order of time. Periods without usage are omitted. Counts appear within 5 seconds; a crash of a process loses the counts since its last write, usually at most 4 seconds. Hours are kept for 48 hours and days for 400 days. An unknown key, or one of another workspace, fails with `NOT_FOUND`.
       *
       * POST /v2/workspace/usage/get
       */
      get(
        data: types.WorkspaceUsageGetRequest,
        options?: CallOptions,
      ): ListCall<types.WorkspaceUsageGetResponse, types.UsagePeriod>;
    };
    readonly jobs: {
      /**
       * Lists the jobs of every API key of the workspace, newest first.
       *
       * A page may be short: only an absent `nextPageToken` marks the end. All filters apply together. Jobs are kept for 90 days after their end; those of a deleted key are left out. An unknown key, or one of another workspace, fails with `NOT_FOUND`.
       *
       * POST /v2/workspace/jobs/list
       */
      list(
        data?: types.WorkspaceJobsListRequest,
        options?: CallOptions,
      ): ListCall<types.WorkspaceJobsListResponse, types.OperatorJob>;
    };
    readonly auditLog: {
      /**
       * Lists administrative actions on the workspace and its API keys, newest first.
       *
       * Includes actions of operators. Only an absent `nextPageToken` marks the end. All filters apply together. An entry is committed with its action, with five exceptions. `key.act_for`, `user_data.export` and `audit_log.export` are recorded before the call, even if it then fails. `encryption_key.rotate` and `user_data.replay` are recorded after the work. Denied attempts have entries too, up to a rate limit, written after the response. Secrets are never recorded, and users only as pseudonyms. Entries are kept for 365 days by default.
       *
       * POST /v2/workspace/auditlog/get
       */
      get(
        data?: types.WorkspaceAuditLogGetRequest,
        options?: CallOptions,
      ): ListCall<types.WorkspaceAuditLogGetResponse, types.AuditEntry>;
      /**
       * Exports the audit log of the workspace as NDJSON or CSV.
       *
       * CSV cells that a spreadsheet could run as formulas begin with an apostrophe. Streams all matching entries in one response, newest first; use `from` and `until` to bound it. The export itself has an entry in the audit log, recorded before it begins. Entries are kept for 365 days by default.
       *
       * POST /v2/workspace/auditlog/export
       */
      export(
        data?: types.WorkspaceAuditLogExportRequest,
        options?: CallOptions,
      ): Promise<ReadableStream<Uint8Array>>;
    };
  };
}
