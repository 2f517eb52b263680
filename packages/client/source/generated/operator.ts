/* Generated from the endpoint values by `node cli/write-tables.ts`. */

import type { ListCall } from '../list-call.ts';
import type { CallOptions, WriteOptions } from '../options.ts';
import type * as types from './types.ts';

export interface OperatorOperations {
  readonly workspace: {
    /**
     * Creates a workspace, which owns API keys. Requires an operator token of scope `admin`.
     *
     * POST /v2/workspace/create
     */
    create(
      data: types.WorkspaceCreateRequest,
      options?: WriteOptions,
    ): Promise<types.WorkspaceCreateResponse>;
  };
  readonly operator: {
    readonly tokens: {
      /**
       * Adds an operator token and returns its secret, which cannot be read again. At most 100 are valid.
       *
       * POST /v2/operator/tokens/add
       */
      add(
        data: types.OperatorTokensAddRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorTokensAddResponse>;
      /**
       * Lists operator tokens in order of creation, without secrets. Ended ones are listed for 90 days.
       *
       * POST /v2/operator/tokens/list
       */
      list(
        data?: types.OperatorTokensListRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorTokensListResponse, types.OperatorTokensListItem>;
      /**
       * Revokes an operator token in every process at once. Repeating the call changes nothing.
       *
       * POST /v2/operator/tokens/revoke
       */
      revoke(
        data: types.OperatorTokensRevokeRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorTokensRevokeResponse>;
    };
    readonly workspaces: {
      /**
       * Lists workspaces in order of creation.
       *
       * POST /v2/operator/workspaces/list
       */
      list(
        data?: types.OperatorWorkspacesListRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorWorkspacesListResponse, types.OperatorWorkspacesListItem>;
      /**
       * Returns a workspace.
       *
       * POST /v2/operator/workspaces/get
       */
      get(
        data: types.OperatorWorkspacesGetRequest,
        options?: CallOptions,
      ): Promise<types.OperatorWorkspacesGetResponse>;
      /**
       * Disables a workspace and all of its API keys. Repeating changes nothing.
       *
       * POST /v2/operator/workspaces/disable
       */
      disable(
        data: types.OperatorWorkspacesDisableRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorWorkspacesDisableResponse>;
      /**
       * Enables a workspace and its API keys. A key that is disabled itself stays so.
       *
       * POST /v2/operator/workspaces/enable
       */
      enable(
        data: types.OperatorWorkspacesEnableRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorWorkspacesEnableResponse>;
    };
    readonly keys: {
      /**
       * Lists API keys in order of creation, of one workspace or of all.
       *
       * POST /v2/operator/keys/list
       */
      list(
        data?: types.OperatorKeysListRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorKeysListResponse, types.OperatorKeysListItem>;
      /**
       * Returns an API key.
       *
       * POST /v2/operator/keys/get
       */
      get(data: types.OperatorKeysGetRequest, options?: CallOptions): Promise<types.OperatorKeysGetResponse>;
      /**
       * Disables an API key: its calls are refused, and its jobs and deliveries wait. Repeating changes nothing.
       *
       * POST /v2/operator/keys/disable
       */
      disable(
        data: types.OperatorKeysDisableRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorKeysDisableResponse>;
      /**
       * Enables an API key and resumes its jobs and deliveries, unless its workspace is disabled.
       *
       * POST /v2/operator/keys/enable
       */
      enable(
        data: types.OperatorKeysEnableRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorKeysEnableResponse>;
      readonly authTokens: {
        /**
         * Replaces the auth token of an API key of any workspace. Former tokens end at once, or after `overlapSeconds`.
         *
         * POST /v2/operator/keys/authtoken/reset
         */
        reset(
          data: types.OperatorKeysAuthTokensResetRequest,
          options?: WriteOptions,
        ): Promise<types.OperatorKeysAuthTokensResetResponse>;
      };
      /**
       * Deletes an API key with all of its data, by a job that verifies it. Permanent; the key is refused at once.
       *
       * POST /v2/operator/keys/delete
       */
      delete(
        data: types.OperatorKeysDeleteRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorKeysDeleteResponse>;
      readonly deletion: {
        /**
         * Returns the status of the deletion of an API key, and its receipt for 366 days.
         *
         * POST /v2/operator/keys/deletion/get
         */
        get(
          data: types.OperatorKeysDeletionGetRequest,
          options?: CallOptions,
        ): Promise<types.OperatorKeysDeletionGetResponse>;
      };
    };
    readonly jobs: {
      /**
       * Lists jobs of every key, newest first. A page may be short: only a missing nextPageToken marks the end.
       *
       * POST /v2/operator/jobs/list
       */
      list(
        data?: types.OperatorJobsListRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorJobsListResponse, types.OperatorJobsListItem>;
      /**
       * Returns the status of a job of any key.
       *
       * POST /v2/operator/jobs/get
       */
      get(data: types.OperatorJobsGetRequest, options?: CallOptions): Promise<types.OperatorJobsGetResponse>;
      /**
       * Reopens a failed job and starts its workflow, or starts the missing workflow of an open job. Repeating the call changes nothing.
       *
       * POST /v2/operator/jobs/retry
       */
      retry(
        data: types.OperatorJobsRetryRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorJobsRetryResponse>;
      /**
       * Cancels a pending migration, or a user data deletion before it is verified. Repeating the call changes nothing.
       *
       * POST /v2/operator/jobs/cancel
       */
      cancel(
        data: types.OperatorJobsCancelRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorJobsCancelResponse>;
    };
    readonly webhooks: {
      /**
       * Lists webhook endpoints of every key with their pending messages, outcomes and pauses, at most 100 a page.
       *
       * POST /v2/operator/webhooks/health
       */
      health(
        data?: types.OperatorWebhooksHealthRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorWebhooksHealthResponse, types.OperatorWebhooksHealthItem>;
      /**
       * Pauses deliveries of every key, of a key or of an endpoint. Messages wait and none counts as failed. Repeating the call changes nothing.
       *
       * POST /v2/operator/webhooks/pause
       */
      pause(
        data?: types.OperatorWebhooksPauseRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorWebhooksPauseResponse>;
      /**
       * Ends a pause and delivers what waits. Pauses of other scopes stay. Repeating the call changes nothing.
       *
       * POST /v2/operator/webhooks/resume
       */
      resume(
        data?: types.OperatorWebhooksResumeRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorWebhooksResumeResponse>;
      /**
       * Queues one attempt for each failed or canceled message of an endpoint since a time of the last 30 days, oldest first, at most 10,000 per call.
       *
       * POST /v2/operator/webhooks/recover
       */
      recover(
        data: types.OperatorWebhooksRecoverRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorWebhooksRecoverResponse>;
    };
    readonly events: {
      /**
       * Lists the keys with events that are not dispatched to endpoints yet, at most 100 a page. Normally it is empty.
       *
       * POST /v2/operator/events/outbox
       */
      outbox(
        data?: types.OperatorEventsOutboxRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorEventsOutboxResponse, types.OperatorEventsOutboxItem>;
      readonly poison: {
        /**
         * Lists events whose dispatch to endpoints failed. They do not delay other events.
         *
         * POST /v2/operator/events/poison/list
         */
        list(
          data?: types.OperatorEventsPoisonListRequest,
          options?: CallOptions,
        ): ListCall<types.OperatorEventsPoisonListResponse, types.OperatorEventsPoisonListItem>;
        /**
         * Dispatches poison events again, at once and with 5 more attempts. An event that is not a poison event is left as it is.
         *
         * POST /v2/operator/events/poison/retry
         */
        retry(
          data?: types.OperatorEventsPoisonRetryRequest,
          options?: WriteOptions,
        ): Promise<types.OperatorEventsPoisonRetryResponse>;
        /**
         * Discards poison events: no endpoint receives them. Repeating the call changes nothing.
         *
         * POST /v2/operator/events/poison/discard
         */
        discard(
          data?: types.OperatorEventsPoisonDiscardRequest,
          options?: WriteOptions,
        ): Promise<types.OperatorEventsPoisonDiscardResponse>;
      };
    };
    readonly processes: {
      /**
       * Lists the running API and worker processes with version and build.
       *
       * POST /v2/operator/processes/list
       */
      list(
        data?: types.OperatorProcessesListRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorProcessesListResponse, types.OperatorProcessesListItem>;
    };
    readonly logLevel: {
      /**
       * Sets the log level of every process, API and worker, within 10 seconds and without a restart.
       *
       * POST /v2/operator/loglevel/update
       */
      update(
        data: types.OperatorLogLevelUpdateRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorLogLevelUpdateResponse>;
      /**
       * Returns the log level that an operator has set for every process.
       *
       * POST /v2/operator/loglevel/get
       */
      get(
        data?: types.OperatorLogLevelGetRequest,
        options?: CallOptions,
      ): Promise<types.OperatorLogLevelGetResponse>;
    };
    readonly usage: {
      /**
       * Lists what an API key used, by hour or by day, oldest first, without periods of no use.
       *
       * POST /v2/operator/usage/get
       */
      get(
        data: types.OperatorUsageGetRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorUsageGetResponse, types.OperatorUsageGetItem>;
    };
    readonly limits: {
      /**
       * Returns the limits of an API key.
       *
       * POST /v2/operator/limits/get
       */
      get(
        data: types.OperatorLimitsGetRequest,
        options?: CallOptions,
      ): Promise<types.OperatorLimitsGetResponse>;
      /**
       * Changes the limits of an API key. Every process applies them to its next request.
       *
       * POST /v2/operator/limits/update
       */
      update(
        data: types.OperatorLimitsUpdateRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorLimitsUpdateResponse>;
    };
    readonly auditLog: {
      /**
       * Lists administrative acts of all workspaces and of operators, newest first. Only a missing nextPageToken marks the end.
       *
       * POST /v2/operator/auditlog/get
       */
      get(
        data?: types.OperatorAuditLogGetRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorAuditLogGetResponse, types.OperatorAuditLogGetItem>;
      /**
       * Streams what operator/auditlog/get lists, as NDJSON or CSV. CSV cells that could be formulas are quoted.
       *
       * POST /v2/operator/auditlog/export
       */
      export(
        data?: types.OperatorAuditLogExportRequest,
        options?: CallOptions,
      ): Promise<ReadableStream<Uint8Array>>;
    };
  };
}
