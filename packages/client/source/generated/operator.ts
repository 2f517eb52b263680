/* Generated from the endpoint values by `node cli/write-tables.ts`. */

import type { ListCall } from '../list-call.ts';
import type { CallOptions, WriteOptions } from '../options.ts';
import type * as types from './types.ts';

export interface OperatorOperations {
  readonly workspace: {
    /**
     * Creates a workspace, which owns API keys.
     *
     * Requires an operator token of the scope `admin`. Creates no API key; create one with `/v2/workspace/apikey/create` and the credentials of the workspace. Without an `Idempotency-Key`, a repeated call creates another workspace. The audit log records the call, without the secret.
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
       * Adds an operator token.
       *
       * Returns the secret, which cannot be read again. Calls with the token send it in `x-svc-operator-token`. The 101st valid token fails with `FAILED_PRECONDITION`. Send an `Idempotency-Key`, so that a retry returns the same token. The audit log records the call, without the secret.
       *
       * POST /v2/operator/tokens/add
       */
      add(
        data: types.OperatorTokensAddRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorTokensAddResponse>;
      /**
       * Lists operator tokens in order of creation, without secrets.
       *
       * Expired and revoked tokens are listed for 90 days. The operator token of the configuration is not listed.
       *
       * POST /v2/operator/tokens/list
       */
      list(
        data?: types.OperatorTokensListRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorTokensListResponse, types.OperatorToken>;
      /**
       * Revokes an operator token.
       *
       * Takes effect at once in every process; repeating the call changes nothing. Calls with the token fail from the next request on. The operator token of the configuration cannot be revoked here. An unknown token fails with `NOT_FOUND`. The audit log records the call.
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
       * Lists all workspaces in order of creation.
       *
       * Returns pages of 1,000 workspaces, disabled ones too, without secrets.
       *
       * POST /v2/operator/workspaces/list
       */
      list(
        data?: types.OperatorWorkspacesListRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorWorkspacesListResponse, types.OperatorWorkspace>;
      /**
       * Returns a workspace of the deployment.
       *
       * Returns a disabled workspace too, without secrets. An unknown workspace fails with `NOT_FOUND`.
       *
       * POST /v2/operator/workspaces/get
       */
      get(
        data: types.OperatorWorkspacesGetRequest,
        options?: CallOptions,
      ): Promise<types.OperatorWorkspacesGetResponse>;
      /**
       * Disables a workspace and all of its API keys.
       *
       * Calls with the credentials of the workspace or of its keys fail with `PERMISSION_DENIED` from the next request on, in every process. Jobs and deliveries wait. An unknown workspace fails with `NOT_FOUND`. The audit log records the call. Repeating the call changes nothing.
       *
       * POST /v2/operator/workspaces/disable
       */
      disable(
        data: types.OperatorWorkspacesDisableRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorWorkspacesDisableResponse>;
      /**
       * Enables a workspace and its API keys.
       *
       * An API key that is disabled itself stays disabled. Jobs and deliveries that waited resume. Repeating the call changes nothing. An unknown workspace fails with `NOT_FOUND`. The audit log records the call.
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
       * Returns pages of 1,000 keys, disabled ones too, without secrets. An unknown workspace fails with `NOT_FOUND`.
       *
       * POST /v2/operator/keys/list
       */
      list(
        data?: types.OperatorKeysListRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorKeysListResponse, types.OperatorKey>;
      /**
       * Returns an API key of any workspace.
       *
       * Returns a disabled key too, without secrets. An unknown or deleted key fails with `NOT_FOUND`.
       *
       * POST /v2/operator/keys/get
       */
      get(data: types.OperatorKeysGetRequest, options?: CallOptions): Promise<types.OperatorKeysGetResponse>;
      /**
       * Disables an API key: its calls are refused, its jobs and deliveries wait.
       *
       * Calls with the key fail with `PERMISSION_DENIED` from the next request on, in every process. Data is kept, and events wait. Its workspace cannot enable it again. An unknown key fails with `NOT_FOUND`. The audit log records the call. Repeating the call changes nothing.
       *
       * POST /v2/operator/keys/disable
       */
      disable(
        data: types.OperatorKeysDisableRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorKeysDisableResponse>;
      /**
       * Enables an API key and resumes its jobs and deliveries.
       *
       * While its workspace is disabled, the key stays refused. Enables a key that its workspace disabled too. Calls work again from the next request on, in every process. Repeating the call changes nothing. An unknown key fails with `NOT_FOUND`. The audit log records the call.
       *
       * POST /v2/operator/keys/enable
       */
      enable(
        data: types.OperatorKeysEnableRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorKeysEnableResponse>;
      readonly authTokens: {
        /**
         * Replaces the auth token of an API key of any workspace.
         *
         * Former tokens stop working at once, or after `overlapSeconds`. Creates the first token of a key without one. Scoped tokens are kept. An unknown key fails with `NOT_FOUND`; a key with 100 tokens that are still valid fails with `FAILED_PRECONDITION`. Send an `Idempotency-Key`, so that a retry returns the same token. The audit log records the call, without the secret.
         *
         * POST /v2/operator/keys/authtoken/reset
         */
        reset(
          data: types.OperatorKeysAuthTokensResetRequest,
          options?: WriteOptions,
        ): Promise<types.OperatorKeysAuthTokensResetResponse>;
      };
      /**
       * Deletes an API key of any workspace with all of its data.
       *
       * Permanent. From the commit on, calls with the key fail and its deliveries stop. The job deletes all rows of the key, verifies that none is left, and signs a receipt; read it with `/v2/operator/keys/deletion/get`. It cannot be canceled. A `confirmName` that is not the name of the key fails with `INVALID_ARGUMENT`. An unknown key, or one that is deleted already, fails with `NOT_FOUND`. The audit log records the call.
       *
       * POST /v2/operator/keys/delete
       */
      delete(
        data: types.OperatorKeysDeleteRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorKeysDeleteResponse>;
      readonly deletion: {
        /**
         * Returns the status of the deletion of an API key of any workspace, and its receipt for 366 days.
         *
         * Poll until `status` is `completed`. A job that is unknown, or of another kind, fails with `NOT_FOUND`.
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
       * Lists jobs of every API key, newest first.
       *
       * A page may be short: only an absent `nextPageToken` marks the end. All filters apply together. Jobs are kept for 90 days after their end. An unknown key fails with `NOT_FOUND`.
       *
       * POST /v2/operator/jobs/list
       */
      list(
        data?: types.OperatorJobsListRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorJobsListResponse, types.OperatorJob>;
      /**
       * Returns the status of a job of any API key.
       *
       * Jobs are kept for 90 days after their end. An unknown job fails with `NOT_FOUND`.
       *
       * POST /v2/operator/jobs/get
       */
      get(data: types.OperatorJobsGetRequest, options?: CallOptions): Promise<types.OperatorJobsGetResponse>;
      /**
       * Reopens a failed job, or starts the missing workflow of an open job.
       *
       * Work that is done is not repeated. A completed job, a failed migration or user data deletion, and a replaced provisioning fail with `FAILED_PRECONDITION`. So does a job whose API key or workspace is disabled: an open one continues when they are enabled. An unknown job fails with `NOT_FOUND`. The audit log records the call. Repeating the call changes nothing.
       *
       * POST /v2/operator/jobs/retry
       */
      retry(
        data: types.OperatorJobsRetryRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorJobsRetryResponse>;
      /**
       * Cancels a pending migration, or a user data deletion whose verification has not begun, of any API key.
       *
       * A user data deletion can be canceled while its `phase` is null, `fencing` or `deleting`, unless the deletion journal contains it or it runs again after a restore. Any other job, and one that has ended otherwise, fails with `FAILED_PRECONDITION`. A canceled job has the status `failed` and the error `cancelled`; a canceled migration emits `document.migration_failed`. An unknown job fails with `NOT_FOUND`. Until deletions have run again after a restore, the call fails with `UNAVAILABLE`. The audit log records the call. Repeating the call changes nothing.
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
       * Lists webhook endpoints of every API key with their pending messages, outcomes and pauses.
       *
       * Returns up to 100 endpoints per page. A page may be short: only an absent `nextPageToken` marks the end. URLs are not shown, because they may contain secrets. An unknown key or endpoint fails with `NOT_FOUND`.
       *
       * POST /v2/operator/webhooks/health
       */
      health(
        data?: types.OperatorWebhooksHealthRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorWebhooksHealthResponse, types.WebhookHealth>;
      /**
       * Pauses deliveries of every API key, of one key or of one endpoint.
       *
       * Messages wait, and none counts as failed. Repeating the call changes nothing. Attempts that run, or begin at that moment, may complete. Events are still recorded, and customers see their messages as pending. An unknown key or endpoint fails with `NOT_FOUND`. The audit log records the call.
       *
       * POST /v2/operator/webhooks/pause
       */
      pause(
        data?: types.OperatorWebhooksPauseRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorWebhooksPauseResponse>;
      /**
       * Ends a pause and delivers the messages that wait.
       *
       * Pauses of other scopes stay. Repeating the call changes nothing. Workers continue at once, oldest messages first, each endpoint by its own rate limit. An unknown key or endpoint fails with `NOT_FOUND`. The audit log records the call.
       *
       * POST /v2/operator/webhooks/resume
       */
      resume(
        data?: types.OperatorWebhooksResumeRequest,
        options?: WriteOptions,
      ): Promise<types.OperatorWebhooksResumeResponse>;
      /**
       * Queues one attempt for each failed or canceled message of an endpoint of any API key.
       *
       * Takes the oldest messages first, max 10,000 per call. A queued message is pending, so a repeated call does not queue it again; repeat the call while `messages` is 10,000. An unknown endpoint fails with `NOT_FOUND`, a disabled one with `FAILED_PRECONDITION`. The audit log records the call.
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
       * Lists the API keys with events that are not dispatched to endpoints yet.
       *
       * Normally the list is empty. Returns up to 100 keys per page. A page may be short: only an absent `nextPageToken` marks the end. A key that stays in the list has events that no worker dispatches: look at its poison events and at the worker processes.
       *
       * POST /v2/operator/events/outbox
       */
      outbox(
        data?: types.OperatorEventsOutboxRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorEventsOutboxResponse, types.Outbox>;
      readonly poison: {
        /**
         * Lists poison events: those whose dispatch to endpoints failed.
         *
         * Poison events do not delay other events. Ordered by key, then by age. An event is attempted 5 times and then set aside until it is retried or discarded. An unknown key fails with `NOT_FOUND`.
         *
         * POST /v2/operator/events/poison/list
         */
        list(
          data?: types.OperatorEventsPoisonListRequest,
          options?: CallOptions,
        ): ListCall<types.OperatorEventsPoisonListResponse, types.PoisonEvent>;
        /**
         * Dispatches poison events again, at once and with 5 more attempts.
         *
         * With `keyId`, retries the 1,000 oldest poison events of the key; repeat the call for more. An unknown event or key fails with `NOT_FOUND`. The audit log records the call. An event that is not a poison event is left as it is.
         *
         * POST /v2/operator/events/poison/retry
         */
        retry(
          data?: types.OperatorEventsPoisonRetryRequest,
          options?: WriteOptions,
        ): Promise<types.OperatorEventsPoisonRetryResponse>;
        /**
         * Discards poison events: no endpoint receives them.
         *
         * Cannot be undone. With `keyId`, discards the 1,000 oldest poison events of the key; repeat the call for more. An unknown event or key fails with `NOT_FOUND`. The audit log records the call. Repeating the call changes nothing.
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
       * Each process reports itself every second, so a process that was killed is listed for up to a minute.
       *
       * POST /v2/operator/processes/list
       */
      list(
        data?: types.OperatorProcessesListRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorProcessesListResponse, types.Process>;
    };
    readonly logLevel: {
      /**
       * Sets the log level of every process with its next heartbeat, about 1 second later, without a restart.
       *
       * Processes that start later take the level too. The level `configured` restores the `LOG_LEVEL` of each process. Repeating the call changes nothing. The audit log records the call.
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
       * `configured` means that each process logs by its own `LOG_LEVEL`.
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
       * Lists the usage of an API key, by hour or by day.
       *
       * Returns periods in order of time. Periods without usage are omitted. Counts appear within 5 seconds; a crash of a process loses the counts since its last write, usually at most 4 seconds. Hours are kept for 48 hours and days for 400 days. An unknown key fails with `NOT_FOUND`.
       *
       * POST /v2/operator/usage/get
       */
      get(
        data: types.OperatorUsageGetRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorUsageGetResponse, types.UsagePeriod>;
    };
    readonly limits: {
      /**
       * Returns the limits of an API key.
       *
       * An unknown key fails with `NOT_FOUND`.
       *
       * POST /v2/operator/limits/get
       */
      get(
        data: types.OperatorLimitsGetRequest,
        options?: CallOptions,
      ): Promise<types.OperatorLimitsGetResponse>;
      /**
       * Changes the limits of an API key.
       *
       * Every process applies them to its next request. Fields that are not sent keep their value; null restores the default of the deployment. Endpoints beyond a lower limit are kept. Repeating the call changes nothing. An unknown key fails with `NOT_FOUND`. The audit log records the call.
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
       * Lists administrative actions of all workspaces and of operators, newest first.
       *
       * Only an absent `nextPageToken` marks the end. All filters apply together. An entry is committed with its action, with five exceptions. `key.act_for`, `user_data.export` and `audit_log.export` are recorded before the call, even if it then fails. `encryption_key.rotate` and `user_data.replay` are recorded after the work. Denied attempts have entries too, up to a rate limit, written after the response. Secrets are never recorded, and users only as pseudonyms. Entries are kept for 365 days by default.
       *
       * POST /v2/operator/auditlog/get
       */
      get(
        data?: types.OperatorAuditLogGetRequest,
        options?: CallOptions,
      ): ListCall<types.OperatorAuditLogGetResponse, types.AuditEntry>;
      /**
       * Exports the audit log of all workspaces and of operators as NDJSON or CSV.
       *
       * CSV cells that a spreadsheet could run as formulas begin with an apostrophe. Streams all matching entries in one response, newest first; use `from` and `until` to bound it. The export itself has an entry in the audit log, recorded before it begins. Entries are kept for 365 days by default.
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
