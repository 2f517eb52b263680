/* Generated from the endpoint values by `node cli/write-tables.ts`. */

import type { ListCall } from '../list-call.ts';
import type { CallOptions, WriteOptions } from '../options.ts';
import type * as types from './types.ts';

export interface WorkspaceOperations {
  readonly workspace: {
    /**
     * Returns the workspace with its owner and its first 100 API keys.
     *
     * POST /v2/workspace/get
     */
    get(data?: types.WorkspaceGetRequest, options?: CallOptions): Promise<types.WorkspaceGetResponse>;
    readonly apiKeys: {
      /**
       * Creates an API key, which is a separate tenant, and an auth token unless `createAuthToken` is false.
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
       * POST /v2/workspace/apikey/update
       */
      update(
        data: types.WorkspaceApiKeysUpdateRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceApiKeysUpdateResponse>;
      /**
       * Disables an API key of the workspace: its calls are refused, and its jobs and deliveries wait. Repeating changes nothing.
       *
       * POST /v2/workspace/apikey/disable
       */
      disable(
        data: types.WorkspaceApiKeysDisableRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceApiKeysDisableResponse>;
      /**
       * Enables an API key of the workspace and resumes its jobs and deliveries. Fails for a key that an operator disabled.
       *
       * POST /v2/workspace/apikey/enable
       */
      enable(
        data: types.WorkspaceApiKeysEnableRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceApiKeysEnableResponse>;
      /**
       * Deletes an API key of the workspace with all of its data, by a job that verifies it. Permanent; the key is refused at once.
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
         * POST /v2/workspace/apikey/deletion/get
         */
        get(
          data: types.WorkspaceApiKeysDeletionGetRequest,
          options?: CallOptions,
        ): Promise<types.WorkspaceApiKeysDeletionGetResponse>;
      };
      /**
       * Lists the API keys of the workspace in order of creation, at most 100 per page.
       *
       * POST /v2/workspace/apikeys/get
       */
      get(
        data?: types.WorkspaceApiKeysGetRequest,
        options?: CallOptions,
      ): ListCall<types.WorkspaceApiKeysGetResponse, types.WorkspaceApiKeysGetItem>;
    };
    readonly authTokens: {
      /**
       * Lists the valid auth tokens of an API key, the current one first. Returns none for a key created without one.
       *
       * POST /v2/workspace/authtokens/get
       */
      get(
        data: types.WorkspaceAuthTokensGetRequest,
        options?: CallOptions,
      ): Promise<types.WorkspaceAuthTokensGetResponse>;
      /**
       * Replaces the auth token of an API key. Former tokens stop working at once, or after `overlapSeconds`.
       *
       * POST /v2/workspace/authtoken/reset
       */
      reset(
        data: types.WorkspaceAuthTokensResetRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceAuthTokensResetResponse>;
      /**
       * Adds an auth token that may call only the operations of its scopes, and returns its secret, which cannot be read again. At most 20 per API key are valid.
       *
       * POST /v2/workspace/authtokens/add
       */
      add(
        data: types.WorkspaceAuthTokensAddRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceAuthTokensAddResponse>;
      /**
       * Lists the scoped auth tokens of an API key in order of creation, without secrets. Ended ones are listed for a day.
       *
       * POST /v2/workspace/authtokens/list
       */
      list(
        data: types.WorkspaceAuthTokensListRequest,
        options?: CallOptions,
      ): Promise<types.WorkspaceAuthTokensListResponse>;
      /**
       * Revokes a scoped auth token in every process at once. Repeating the call changes nothing.
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
       * Lists what an API key of the workspace used, by hour or by day, oldest first, without periods of no use.
       *
       * POST /v2/workspace/usage/get
       */
      get(
        data: types.WorkspaceUsageGetRequest,
        options?: CallOptions,
      ): ListCall<types.WorkspaceUsageGetResponse, types.WorkspaceUsageGetItem>;
    };
    readonly auditLog: {
      /**
       * Lists administrative acts of the workspace, of its API keys and of operators on them, newest first. Only a missing nextPageToken marks the end.
       *
       * POST /v2/workspace/auditlog/get
       */
      get(
        data?: types.WorkspaceAuditLogGetRequest,
        options?: CallOptions,
      ): ListCall<types.WorkspaceAuditLogGetResponse, types.WorkspaceAuditLogGetItem>;
      /**
       * Streams what workspace/auditlog/get lists, as NDJSON or CSV. CSV cells that could be formulas are quoted.
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
