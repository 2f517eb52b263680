/* Generated from the endpoint values by `node cli/write-tables.ts`. */

import type { ListCall, PagedCall } from '../list-call.ts';
import type { CallOptions, WriteOptions } from '../options.ts';
import type * as types from './types.ts';

export interface ApiKeyOperations {
  readonly workspace: {
    readonly domains: {
      /**
       * Adds domains whose pages may use the API key.
       *
       * A key has up to 100 domains. Once the list is not empty, requests with another `Origin` fail with `PERMISSION_DENIED`; requests without `Origin` and those of pages of Steward itself are not restricted. Domains that the key has are skipped, so repeating the call changes nothing. Applies to the next request in every process. The audit log records the call.
       *
       * POST /v2/workspace/domains/add
       */
      add(
        data: types.WorkspaceDomainsAddRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceDomainsAddResponse>;
      /**
       * Removes domains whose pages may use the API key.
       *
       * Domains that the key does not have are skipped, so repeating the call changes nothing. Removing the last domain allows every origin. Applies to the next request in every process. The audit log records the call.
       *
       * POST /v2/workspace/domains/delete
       */
      delete(
        data: types.WorkspaceDomainsDeleteRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceDomainsDeleteResponse>;
      /**
       * Lists the domains whose pages may use the API key.
       *
       * An empty list allows every origin. Returns up to 100 hosts, without scheme, path and `www.`.
       *
       * POST /v2/workspace/domains/get
       */
      get(
        data?: types.WorkspaceDomainsGetRequest,
        options?: CallOptions,
      ): Promise<types.WorkspaceDomainsGetResponse>;
    };
    readonly apiKeyConfig: {
      /**
       * Returns the settings of the API key: default access types, masked AI provider keys, owner.
       *
       * Returns every field, with defaults before the first update. Keys of AI providers are masked.
       *
       * POST /v2/workspace/apikeyconfig/get
       */
      get(
        data?: types.WorkspaceApiKeyConfigGetRequest,
        options?: CallOptions,
      ): Promise<types.WorkspaceApiKeyConfigGetResponse>;
      /**
       * Updates the settings of the API key: default access types, AI provider keys.
       *
       * Fields that are not sent keep their value. A changed default access type applies at once to all documents and folders that inherit it. A masked key, and an update without a known field, fail with `INVALID_ARGUMENT`. Emits no event; the audit log records the call, without secrets.
       *
       * POST /v2/workspace/apikeyconfig/update
       */
      update(
        data?: types.WorkspaceApiKeyConfigUpdateRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceApiKeyConfigUpdateResponse>;
    };
    readonly activityConfig: {
      /**
       * Returns the activity log settings: enabled, immutable, triggers.
       *
       * Returns every field, with defaults before the first update. `/v2/activities/add` works only while activity logs are on.
       *
       * POST /v2/workspace/activityconfig/get
       */
      get(
        data?: types.WorkspaceActivityConfigGetRequest,
        options?: CallOptions,
      ): Promise<types.WorkspaceActivityConfigGetResponse>;
      /**
       * Turns activity logs on or off, and makes their records immutable or not.
       *
       * Fields that are not sent keep their value. The first update that turns activity logs on also sets the usual triggers. An update without a known field fails with `INVALID_ARGUMENT`. Applies to the next request in every process. Emits no event; the audit log records the call.
       *
       * POST /v2/workspace/activityconfig/update
       */
      update(
        data?: types.WorkspaceActivityConfigUpdateRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceActivityConfigUpdateResponse>;
    };
    readonly notificationConfig: {
      /**
       * Returns whether notifications are on, and their triggers, delay and batches.
       *
       * Returns every field, with defaults before the first update.
       *
       * POST /v2/workspace/notificationconfig/get
       */
      get(
        data?: types.WorkspaceNotificationConfigGetRequest,
        options?: CallOptions,
      ): Promise<types.WorkspaceNotificationConfigGetResponse>;
      /**
       * Turns notifications on or off and changes their triggers, delay and batches.
       *
       * Fields that are not sent keep their value. The first update that turns notifications on also sets the usual triggers. Preferences of users require notifications to be on; adding notifications does not. An update without a known field, or a value out of range, fails with `INVALID_ARGUMENT`. Emits no event; the audit log records the call.
       *
       * POST /v2/workspace/notificationconfig/update
       */
      update(
        data?: types.WorkspaceNotificationConfigUpdateRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceNotificationConfigUpdateResponse>;
    };
    readonly advancedWebhookConfig: {
      /**
       * Returns whether advanced webhooks are on, and how payloads are protected.
       *
       * Returns every field, with defaults before the first update.
       *
       * POST /v2/workspace/advancedwebhookconfig/get
       */
      get(
        data?: types.WorkspaceAdvancedWebhookConfigGetRequest,
        options?: CallOptions,
      ): Promise<types.WorkspaceAdvancedWebhookConfigGetResponse>;
      /**
       * Turns advanced webhooks on or off and changes how payloads are protected.
       *
       * Fields that are not sent keep their value. The first update must have `isEnabled: true`, else it fails with `FAILED_PRECONDITION`. The first update starts a job that registers the API key with the webhook provider. Events that occur while advanced webhooks are off are not recorded. Endpoints work at once, or, when Svix delivers the messages, after the job; they return `UNAVAILABLE` until then. `encryptData` without a usable `publicKey` holds all deliveries until one is sent. An update without a known field, or an invalid `publicKey`, fails with `INVALID_ARGUMENT`. The audit log records the call.
       *
       * POST /v2/workspace/advancedwebhookconfig/update
       */
      update(
        data?: types.WorkspaceAdvancedWebhookConfigUpdateRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceAdvancedWebhookConfigUpdateResponse>;
    };
    readonly permissionProviderConfig: {
      /**
       * Returns whether your own permission provider decides access, and its URL.
       *
       * Returns every field, including the token. Before the first update, the fields have their defaults.
       *
       * POST /v2/workspace/permissionproviderconfig/get
       */
      get(
        data?: types.WorkspacePermissionProviderConfigGetRequest,
        options?: CallOptions,
      ): Promise<types.WorkspacePermissionProviderConfigGetResponse>;
      /**
       * Turns your own permission provider on or off.
       *
       * While the provider is on, it decides all access. Fields that are not sent keep their value; an update also drops the cached responses of the provider. Steward calls the URL by POST, up to three times within 60 seconds, and denies access when the provider fails or the URL is empty. A private or reserved address is accepted here, and every call to it fails. An invalid URL, and an update without a known field, fail with `INVALID_ARGUMENT`. Emits no event; the audit log records the call, without secrets.
       *
       * POST /v2/workspace/permissionproviderconfig/update
       */
      update(
        data?: types.WorkspacePermissionProviderConfigUpdateRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspacePermissionProviderConfigUpdateResponse>;
    };
    readonly emailConfig: {
      /**
       * Returns the e-mail settings, and whether e-mails are sent.
       *
       * Returns every field, including the API key of SendGrid. Before the first update, the fields have their defaults.
       *
       * POST /v2/workspace/emailconfig/get
       */
      get(
        data?: types.WorkspaceEmailConfigGetRequest,
        options?: CallOptions,
      ): Promise<types.WorkspaceEmailConfigGetResponse>;
      /**
       * Updates the settings for notifications by e-mail.
       *
       * Fields that are not sent keep their value. The first update that turns e-mail on also sets the usual triggers. A key whose settings were stored before Steward sent e-mails is held as `not-confirmed` until an update. An update also retries messages held by refused credentials. An invalid address, URL or key, and an update without a known field, fail with `INVALID_ARGUMENT`. Emits no event; the audit log records the call, without secrets.
       *
       * POST /v2/workspace/emailconfig/update
       */
      update(
        data?: types.WorkspaceEmailConfigUpdateRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceEmailConfigUpdateResponse>;
      /**
       * Sends a sample e-mail with the current settings and returns its attempt.
       *
       * Works even while e-mail is off, and ignores the suppression list. Waits for the provider, max 30 seconds. A refused e-mail and a missing setting are successful calls: `attempt` shows why. An API key sends up to 10 samples a minute, else the call fails with `RESOURCE_EXHAUSTED`. Type `custom` fails with `FAILED_PRECONDITION`. The audit log records the call, without the address.
       *
       * POST /v2/workspace/emailconfig/test
       */
      test(
        data: types.WorkspaceEmailConfigTestRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceEmailConfigTestResponse>;
    };
    readonly slackConfig: {
      /**
       * Returns the Slack settings, and whether messages are sent.
       *
       * Returns every field, with defaults before the first update. The token of the bot is masked.
       *
       * POST /v2/workspace/slackconfig/get
       */
      get(
        data?: types.WorkspaceSlackConfigGetRequest,
        options?: CallOptions,
      ): Promise<types.WorkspaceSlackConfigGetResponse>;
      /**
       * Updates the settings for notifications by Slack.
       *
       * Fields that are not sent keep their value. The first update that turns Slack on also sets the usual triggers. An update also retries messages held by refused credentials. A masked token, an invalid URL, and an update without a known field, fail with `INVALID_ARGUMENT`. Emits no event; the audit log records the call, without secrets.
       *
       * POST /v2/workspace/slackconfig/update
       */
      update(
        data?: types.WorkspaceSlackConfigUpdateRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceSlackConfigUpdateResponse>;
      /**
       * Sends a sample Slack message with the current settings and returns its attempt.
       *
       * Sends to the account in the metadata field `slackUserId` of the user, else to that of their e-mail address. Works even while Slack is off. Waits for Slack, max 30 seconds for its two calls. A refused message, a user without an account and a missing setting are successful calls: `attempt` shows why. An API key sends up to 10 samples a minute, else the call fails with `RESOURCE_EXHAUSTED`. An unknown user fails with `NOT_FOUND`. The audit log records the call, without the user.
       *
       * POST /v2/workspace/slackconfig/test
       */
      test(
        data: types.WorkspaceSlackConfigTestRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceSlackConfigTestResponse>;
    };
    readonly webhookConfig: {
      /**
       * Returns the URLs and triggers of the basic webhook.
       *
       * Returns every field, including the token. Before the first update, the fields have their defaults.
       *
       * POST /v2/workspace/webhookconfig/get
       */
      get(
        data?: types.WorkspaceWebhookConfigGetRequest,
        options?: CallOptions,
      ): Promise<types.WorkspaceWebhookConfigGetResponse>;
      /**
       * Turns the basic webhook on or off, and changes its URLs and triggers.
       *
       * Fields that are not sent keep their value. The first update that turns the basic webhook on also sets the usual triggers. Each URL that is set receives the events whose triggers are on, with the retry schedule of advanced webhooks. An invalid URL, and an update without a known field, fail with `INVALID_ARGUMENT`. The audit log records the call, without secrets.
       *
       * POST /v2/workspace/webhookconfig/update
       */
      update(
        data?: types.WorkspaceWebhookConfigUpdateRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceWebhookConfigUpdateResponse>;
    };
    readonly emailSuppressions: {
      /**
       * Suppresses e-mail addresses: the API key sends no e-mail to them.
       *
       * Adds up to 1,000 addresses to the suppression list of the key, which stores them as a keyed hash. An address that is on the list keeps its reason and time. Bounces and complaints add addresses too. Emits no event; the audit log records the call, without addresses.
       *
       * POST /v2/workspace/emailsuppressions/add
       */
      add(
        data: types.WorkspaceEmailSuppressionsAddRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceEmailSuppressionsAddResponse>;
      /**
       * Returns whether e-mail addresses are suppressed.
       *
       * Reads up to 1,000 addresses. The list cannot be read as a whole, because it stores no addresses. An unknown address is not suppressed.
       *
       * POST /v2/workspace/emailsuppressions/get
       */
      get(
        data: types.WorkspaceEmailSuppressionsGetRequest,
        options?: CallOptions,
      ): Promise<types.WorkspaceEmailSuppressionsGetResponse>;
      /**
       * Removes e-mail addresses from the suppression list.
       *
       * Removes up to 1,000 addresses, so that the key sends e-mails to them again. An address that is not on the list fails with `not-found`, without affecting the others. Emits no event; the audit log records the call, without addresses.
       *
       * POST /v2/workspace/emailsuppressions/delete
       */
      delete(
        data: types.WorkspaceEmailSuppressionsDeleteRequest,
        options?: WriteOptions,
      ): Promise<types.WorkspaceEmailSuppressionsDeleteResponse>;
    };
    readonly advancedWebhook: {
      readonly endpoints: {
        /**
         * Creates a webhook endpoint with its own signing secret.
         *
         * An API key has up to 100 endpoints, unless its limits differ. Messages follow Standard Webhooks and are signed with the secret of the endpoint; read it with `/v2/workspace/advancedwebhook/endpoints/secret/get`. A failed message is retried; by default, seven times within 28 hours. A private or reserved address in `url` is accepted with a `warning`, and every attempt to it fails. Fails with `FAILED_PRECONDITION` while advanced webhooks are off, `ALREADY_EXISTS` for a taken `uid`, and `RESOURCE_EXHAUSTED` beyond the limit of endpoints. Without an `Idempotency-Key`, a repeated call creates another endpoint. The audit log records the call.
         *
         * POST /v2/workspace/advancedwebhook/endpoints/create
         */
        create(
          data: types.WorkspaceAdvancedWebhookEndpointsCreateRequest,
          options?: WriteOptions,
        ): Promise<types.WorkspaceAdvancedWebhookEndpointsCreateResponse>;
        /**
         * Lists webhook endpoints in order of creation.
         *
         * Includes disabled endpoints; secrets and `metadata` are never listed. `done` is true exactly when `iterator` is null. Fails with `FAILED_PRECONDITION` while advanced webhooks are off.
         *
         * POST /v2/workspace/advancedwebhook/endpoints/get
         */
        get(
          data?: types.WorkspaceAdvancedWebhookEndpointsGetRequest,
          options?: CallOptions,
        ): ListCall<types.WorkspaceAdvancedWebhookEndpointsGetResponse, types.WebhookEndpoint>;
        /**
         * Updates a webhook endpoint.
         *
         * `disabled: false` also clears `disabledReason`. Fields that are not sent keep their value. `uid` cannot change. Deliveries use the new settings from the next attempt on. A private or reserved address in `url` is accepted with a `warning`. An unknown endpoint fails with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while advanced webhooks are off. The audit log records the call.
         *
         * POST /v2/workspace/advancedwebhook/endpoints/update
         */
        update(
          data: types.WorkspaceAdvancedWebhookEndpointsUpdateRequest,
          options?: WriteOptions,
        ): Promise<types.WorkspaceAdvancedWebhookEndpointsUpdateResponse>;
        /**
         * Deletes a webhook endpoint.
         *
         * No further attempt starts; one that is already connecting may complete within 15 seconds. Permanent: pending messages are dropped and the secret becomes invalid. An unknown endpoint fails with `NOT_FOUND`, even when the call is repeated. Fails with `FAILED_PRECONDITION` while advanced webhooks are off. The audit log records the call.
         *
         * POST /v2/workspace/advancedwebhook/endpoints/delete
         */
        delete(
          data: types.WorkspaceAdvancedWebhookEndpointsDeleteRequest,
          options?: WriteOptions,
        ): Promise<types.WorkspaceAdvancedWebhookEndpointsDeleteResponse>;
        readonly secret: {
          /**
           * Returns the secret that signs messages to a webhook endpoint.
           *
           * After a rotation, returns the new secret. Verify messages with any library of Standard Webhooks. An unknown endpoint fails with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while advanced webhooks are off.
           *
           * POST /v2/workspace/advancedwebhook/endpoints/secret/get
           */
          get(
            data: types.WorkspaceAdvancedWebhookEndpointsSecretGetRequest,
            options?: CallOptions,
          ): Promise<types.WorkspaceAdvancedWebhookEndpointsSecretGetResponse>;
          /**
           * Replaces the secret of a webhook endpoint.
           *
           * The previous secret also signs messages for 24 hours, so receivers can change the secret at any time within them. A second rotation within 24 hours drops the oldest secret. Send an `Idempotency-Key`, so that a retry does not rotate twice. An unknown endpoint fails with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while advanced webhooks are off. The audit log records the call.
           *
           * POST /v2/workspace/advancedwebhook/endpoints/secret/rotate
           */
          rotate(
            data: types.WorkspaceAdvancedWebhookEndpointsSecretRotateRequest,
            options?: WriteOptions,
          ): Promise<types.WorkspaceAdvancedWebhookEndpointsSecretRotateResponse>;
        };
        /**
         * Sends one signed message to a webhook endpoint and returns its attempt.
         *
         * Ignores `filterTypes`. Waits for the response of the endpoint, max 15 seconds. A failed attempt is still a successful call and is not retried. An API key runs up to 10 tests at a time, else the call fails with `RESOURCE_EXHAUSTED`. An unknown endpoint, or one that is deleted meanwhile, fails with `NOT_FOUND`, a disabled one with `FAILED_PRECONDITION`, as do calls while advanced webhooks are off. The audit log records the call.
         *
         * POST /v2/workspace/advancedwebhook/endpoints/test
         */
        test(
          data: types.WorkspaceAdvancedWebhookEndpointsTestRequest,
          options?: WriteOptions,
        ): Promise<types.WorkspaceAdvancedWebhookEndpointsTestResponse>;
        readonly attempts: {
          /**
           * Lists delivery attempts of a webhook endpoint, newest first.
           *
           * A filtered page may be short: continue until `done` is true. Attempts are kept for up to 30 days. An unknown endpoint fails with `NOT_FOUND`, an unknown message matches nothing. Fails with `FAILED_PRECONDITION` while advanced webhooks are off.
           *
           * POST /v2/workspace/advancedwebhook/endpoints/attempts/get
           */
          get(
            data: types.WorkspaceAdvancedWebhookEndpointsAttemptsGetRequest,
            options?: CallOptions,
          ): ListCall<types.WorkspaceAdvancedWebhookEndpointsAttemptsGetResponse, types.WebhookAttempt>;
        };
        readonly messages: {
          /**
           * Lists messages of a webhook endpoint, newest first.
           *
           * A filtered page may be short: continue until `done` is true. Messages are kept for up to 30 days. An unknown endpoint fails with `NOT_FOUND`, an unknown message matches nothing. Fails with `FAILED_PRECONDITION` while advanced webhooks are off.
           *
           * POST /v2/workspace/advancedwebhook/endpoints/messages/get
           */
          get(
            data: types.WorkspaceAdvancedWebhookEndpointsMessagesGetRequest,
            options?: CallOptions,
          ): ListCall<types.WorkspaceAdvancedWebhookEndpointsMessagesGetResponse, types.WebhookMessage>;
          /**
           * Queues another attempt to deliver a message.
           *
           * The attempt starts at once and does not change the retry schedule. Receivers recognize the message by its `webhook-id`. An unknown endpoint or message fails with `NOT_FOUND`, a disabled endpoint with `FAILED_PRECONDITION`, as do calls while advanced webhooks are off. Each call queues another attempt, unless it repeats an `Idempotency-Key`. The audit log records the call.
           *
           * POST /v2/workspace/advancedwebhook/endpoints/messages/resend
           */
          resend(
            data: types.WorkspaceAdvancedWebhookEndpointsMessagesResendRequest,
            options?: WriteOptions,
          ): Promise<types.WorkspaceAdvancedWebhookEndpointsMessagesResendResponse>;
        };
        /**
         * Queues one attempt for each failed or canceled message of a period.
         *
         * Takes the oldest messages first, max 10,000 per call, and none of `endpoints/test`. A queued message is pending, so a repeated call does not queue it again; repeat the call while `messages` is 10,000. An unknown endpoint fails with `NOT_FOUND`, a disabled one with `FAILED_PRECONDITION`, as do calls while advanced webhooks are off. The audit log records the call.
         *
         * POST /v2/workspace/advancedwebhook/endpoints/recover
         */
        recover(
          data: types.WorkspaceAdvancedWebhookEndpointsRecoverRequest,
          options?: WriteOptions,
        ): Promise<types.WorkspaceAdvancedWebhookEndpointsRecoverResponse>;
        readonly stats: {
          /**
           * Returns message counts and the p95 attempt duration of a webhook endpoint.
           *
           * Counts within 10 seconds, else fails with `DEADLINE_EXCEEDED`. The times cover all attempts of the last 30 days. An unknown endpoint fails with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while advanced webhooks are off.
           *
           * POST /v2/workspace/advancedwebhook/endpoints/stats/get
           */
          get(
            data: types.WorkspaceAdvancedWebhookEndpointsStatsGetRequest,
            options?: CallOptions,
          ): Promise<types.WorkspaceAdvancedWebhookEndpointsStatsGetResponse>;
        };
        readonly health: {
          /**
           * Lists the webhook endpoints of the API key with their pending messages and last outcomes.
           *
           * Returns up to 100 endpoints per page, in order of creation, even while webhooks are off, and those of the basic webhook. A page may be short: only an absent `nextPageToken` marks the end.
           *
           * POST /v2/workspace/advancedwebhook/endpoints/health/get
           */
          get(
            data?: types.WorkspaceAdvancedWebhookEndpointsHealthGetRequest,
            options?: CallOptions,
          ): ListCall<types.WorkspaceAdvancedWebhookEndpointsHealthGetResponse, types.EndpointHealth>;
        };
      };
      readonly eventTypes: {
        /**
         * Lists the predefined event types.
         *
         * Works even while advanced webhooks are off. `filterTypes` of an endpoint may name other types, because each activity log emits an event whose type is its `actionType`. With `enableDataProtection`, messages lack every text except ids, types, states and times, also those that a schema requires.
         *
         * POST /v2/workspace/advancedwebhook/eventtypes/get
         */
        get(
          data?: types.WorkspaceAdvancedWebhookEventTypesGetRequest,
          options?: CallOptions,
        ): Promise<types.WorkspaceAdvancedWebhookEventTypesGetResponse>;
      };
    };
  };
  readonly auth: {
    readonly permissions: {
      /**
       * Grants a user access to up to 100 resources, all or none.
       *
       * A grant adds to memberships and never removes one. A user who does not exist is created without a name. A grant without `accessRole` gives the editor role, and one without `expiresAt` does not expire, even when it replaces an earlier grant. An unknown resource fails the call with `INVALID_ARGUMENT` and `details.resources`, unless its create flag is true; no grant is then stored. Fails with `FAILED_PRECONDITION` while the data of the user is being deleted. Emits no event; repeating the call changes nothing.
       *
       * POST /v2/auth/permissions/add
       */
      add(
        data: types.AuthPermissionsAddRequest,
        options?: WriteOptions,
      ): Promise<types.AuthPermissionsAddResponse>;
      /**
       * Revokes a user’s grants on up to 100 resources, all or none.
       *
       * A membership keeps its own role, so the user may still have access. Resources without a grant and unknown users succeed. An unknown resource fails the call with `INVALID_ARGUMENT` and `details.resources`, so that a typo does not look like a successful revocation; no grant is then revoked. Fails with `FAILED_PRECONDITION` while the data of the user is being deleted. Tokens that were generated earlier stay valid until they expire. Emits no event; repeating the call changes nothing.
       *
       * POST /v2/auth/permissions/remove
       */
      remove(
        data: types.AuthPermissionsRemoveRequest,
        options?: WriteOptions,
      ): Promise<types.AuthPermissionsRemoveResponse>;
      /**
       * Returns the access of users to an organization and to its folders and documents.
       *
       * The number of users times the number of folders and documents is at most 10,000, and the response at most 10 MiB. Access follows the same rules as `/v2/auth/permissions/check`. A user without access has `error` and `errorCode` at the resource. An unknown folder or document fails the call with `NOT_FOUND`, unless `skipResourceExistenceValidation` is true. `details.data` is then the result, and `details.folderIds` and `details.documentIds` are the unknown ids. An unknown organization fails with `NOT_FOUND`; an unknown user is treated as one without grants or memberships.
       *
       * POST /v2/auth/permissions/get
       */
      get(
        data: types.AuthPermissionsGetRequest,
        options?: CallOptions,
      ): Promise<types.AuthPermissionsGetResponse>;
      /**
       * Returns the current access of a user to up to 100 resources, and on request the rule that decided.
       *
       * Returns one result per resource, in the order of the request. While the permission provider of the API key is on, it alone decides; its responses are cached until they expire, or for 5 minutes if they have no expiry. Otherwise the nearest unexpired grant or membership decides, from the resource up through its folders; without one, the effective access type decides. Disabled organizations and documents deny access to all users. Unknown users and resources do not fail: unknown resources have the reason `not-found`. A provider that fails denies access with the reason `provider-failed`.
       *
       * POST /v2/auth/permissions/check
       */
      check(
        data: types.AuthPermissionsCheckRequest,
        options?: CallOptions,
      ): Promise<types.AuthPermissionsCheckResponse>;
    };
    /**
     * Stores the given grants and returns a signed token for a user, valid for 48 hours.
     *
     * Verify the token with the public keys of `/.well-known/jwks.json`. The token is a JWT signed with EdDSA, with the claims `iss`, `aud` (the API key), `sub` (the user), `jti`, `iat`, `exp`, `name`, `email`, `isAdmin` and `permissions`. A user who does not exist is created. Grants are stored as by `/v2/auth/permissions/add`: all or none, and an unknown resource fails with `INVALID_ARGUMENT`. Fails with `FAILED_PRECONDITION` for a disabled organization or document, and while the data of the user is being deleted. A token stays valid until it expires, even after its grants are revoked. Emits no event; each call signs a new token.
     *
     * POST /v2/auth/generate_token
     */
    generateToken(
      data: types.AuthGenerateTokenRequest,
      options?: WriteOptions,
    ): Promise<types.AuthGenerateTokenResponse>;
  };
  readonly organizations: {
    /**
     * Adds organizations and updates those that exist.
     *
     * Adds up to 1,000 organizations in one transaction. An organization that exists is updated: its name changes when sent, its metadata is merged, and `disabled` is kept. Fields beyond the schema are free metadata, max 16 KiB per organization, which responses return next to the known fields. If an id occurs twice, the last one counts. Fails with `FAILED_PRECONDITION` while the data of a user named in the metadata is being deleted. One that would hold more than 64 KiB of metadata is not changed and fails with `invalid-argument`, without affecting the others. Emits no event; repeating the call changes nothing.
     *
     * POST /v2/organizations/add
     */
    add(data: types.OrganizationsAddRequest, options?: WriteOptions): Promise<types.OrganizationsAddResponse>;
    /**
     * Returns organizations: by id in the order requested, or all of them in id order.
     *
     * Ids that do not exist are left out. Organizations requested by id have no pages. On `/v1`, a request without `pageSize` returns all organizations in one streamed response; `/v2` returns pages of 1,000. Order is by byte value of the ids and stays stable while organizations are added.
     *
     * POST /v2/organizations/get
     */
    get(
      data?: types.OrganizationsGetRequest,
      options?: CallOptions,
    ): ListCall<types.OrganizationsGetResponse, types.Organization>;
    /**
     * Returns organizations whose id or name starts with a prefix.
     *
     * Those found by id come first, in id order, then those found by name, in name order. Name search ignores case; id search is case-sensitive. A page may be short or empty although more pages follow: read on until `nextPageToken` is absent.
     *
     * POST /v2/organizations/search
     */
    search(
      data: types.OrganizationsSearchRequest,
      options?: CallOptions,
    ): ListCall<types.OrganizationsSearchResponse, types.Organization>;
    /**
     * Updates names and metadata of organizations.
     *
     * A metadata field sent as null is removed. Updates up to 1,000 organizations in one transaction. Fields that are not sent keep their value, and free metadata is merged field by field. An unknown organization fails with `not-found`, one that would hold more than 64 KiB of metadata with `invalid-argument`; the others are updated. Fails with `FAILED_PRECONDITION` while the data of a user named in the metadata is being deleted. Emits no event.
     *
     * POST /v2/organizations/update
     */
    update(
      data: types.OrganizationsUpdateRequest,
      options?: WriteOptions,
    ): Promise<types.OrganizationsUpdateResponse>;
    /**
     * Deletes organizations and everything in them.
     *
     * The organizations are gone, and their ids reusable, when the call returns. Memberships, grants, folders, documents, groups and records of the organizations become invisible in the same transaction. The call waits for running writes in the organizations for up to 10 seconds; meanwhile further writes fail with `ABORTED`. A job, `result.jobId`, then deletes their rows; it cannot be canceled. Users are kept, because they belong to the API key. An unknown organization fails with `not-found`, without affecting the others. Migrations that run in the organizations end as failed and emit `document.migration_failed`. The audit log records the call.
     *
     * POST /v2/organizations/delete
     */
    delete(
      data: types.OrganizationsDeleteRequest,
      options?: WriteOptions,
    ): Promise<types.OrganizationsDeleteResponse>;
    readonly access: {
      readonly disableState: {
        /**
         * Disables or re-enables access to organizations.
         *
         * While an organization is disabled, access checks in it fail and no token is generated for it. Administrative calls still work, so its data can be read and changed. An unknown organization fails with `not-found`, without affecting the others, unless `createOrganization` is true. Emits no event; repeating the call changes nothing.
         *
         * POST /v2/organizations/access/disablestate/update
         */
        update(
          data: types.OrganizationsAccessDisableStateUpdateRequest,
          options?: WriteOptions,
        ): Promise<types.OrganizationsAccessDisableStateUpdateResponse>;
      };
    };
  };
  readonly documents: {
    /**
     * Adds documents to an organization, in a folder or at the top level.
     *
     * Adds up to 1,000 documents in one transaction. A document that exists, or whose id a running migration reserves, fails with `already-exists`; the others are added. Fields beyond the schema are free metadata, max 16 KiB per document, which responses return next to the known fields. If an id occurs twice, the last one counts. An unknown organization or folder fails the call with `NOT_FOUND`, unless its create flag is true. Fails with `FAILED_PRECONDITION` while the data of a user named in the metadata is being deleted. Emits no event.
     *
     * POST /v2/organizations/documents/add
     */
    add(data: types.DocumentsAddRequest, options?: WriteOptions): Promise<types.DocumentsAddResponse>;
    /**
     * Returns documents of an organization: by id in the order requested, or all of them in id order.
     *
     * All conditions apply together. Documents that do not exist or do not match are left out. A request with `documentIds`, and on `/v1` a request without `pageSize`, returns all documents in one streamed response; else `/v2` returns pages of 1,000. With `filters`, a page may be short or empty although more pages follow: read on until `nextPageToken` is absent. A document without the filtered field never matches, not even `!=`. An unknown organization or folder fails with `NOT_FOUND`.
     *
     * POST /v2/organizations/documents/get
     */
    get(
      data: types.DocumentsGetRequest,
      options?: CallOptions,
    ): ListCall<types.DocumentsGetResponse, types.Document>;
    /**
     * Returns documents whose id or name starts with a prefix.
     *
     * Those found by id come first, in id order, then those found by name, in name order. Name search ignores case; id search is case-sensitive. A page may be short or empty although more pages follow: read on until `nextPageToken` is absent. An unknown organization fails with `NOT_FOUND`.
     *
     * POST /v2/organizations/documents/search
     */
    search(
      data: types.DocumentsSearchRequest,
      options?: CallOptions,
    ): ListCall<types.DocumentsSearchResponse, types.FoundDocument>;
    readonly count: {
      /**
       * Returns the exact number of documents in an organization or a folder.
       *
       * Counts within 10 seconds, else fails with `DEADLINE_EXCEEDED`. Documents in subfolders are not counted with `folderId`. An unknown organization or folder fails with `NOT_FOUND`.
       *
       * POST /v2/organizations/documents/count/get
       */
      get(
        data: types.DocumentsCountGetRequest,
        options?: CallOptions,
      ): Promise<types.DocumentsCountGetResponse>;
    };
    /**
     * Updates names, access types and metadata of documents.
     *
     * A metadata field sent as null is removed. Updates up to 1,000 documents in one transaction. Known fields that are not sent keep their value. An unknown document fails with `not-found`, one that would hold more than 64 KiB of metadata with `invalid-argument`; the others are updated. An unknown organization fails the call with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data of a user named in the metadata is being deleted. Emits no event; repeating the call changes nothing.
     *
     * POST /v2/organizations/documents/update
     */
    update(
      data: types.DocumentsUpdateRequest,
      options?: WriteOptions,
    ): Promise<types.DocumentsUpdateResponse>;
    /**
     * Deletes documents and everything in them.
     *
     * The documents are gone, and their ids reusable, when the call returns. All records of the documents become invisible in the same transaction. The call waits for running writes of the documents for up to 10 seconds; meanwhile further writes fail with `ABORTED`. A job, `result.jobId`, then deletes the rows; it cannot be canceled. An unknown document fails with `not-found`, without affecting the others. Running migrations of the documents end as failed and emit `document.migration_failed`. The audit log records the call. An unknown organization fails the call with `NOT_FOUND`.
     *
     * POST /v2/organizations/documents/delete
     */
    delete(
      data: types.DocumentsDeleteRequest,
      options?: WriteOptions,
    ): Promise<types.DocumentsDeleteResponse>;
    /**
     * Moves up to 30 documents to a folder or to the top level, all or none.
     *
     * Inherited access follows the new folder at once. An unknown document, folder or organization fails the call with `NOT_FOUND`, and `details.documentIds` lists unknown documents; no document is then moved. Emits no event; repeating the call changes nothing.
     *
     * POST /v2/organizations/documents/move
     */
    move(data: types.DocumentsMoveRequest, options?: WriteOptions): Promise<types.DocumentsMoveResponse>;
    readonly access: {
      /**
       * Sets the access type of documents, or restores inheritance from their folders.
       *
       * Each item contains the access type that is in effect after the call. An unknown document fails with `not-found`, without affecting the others; an unknown organization fails the call with `NOT_FOUND`. Grants and memberships are kept. Emits no event; repeating the call changes nothing.
       *
       * POST /v2/organizations/documents/access/update
       */
      update(
        data: types.DocumentsAccessUpdateRequest,
        options?: WriteOptions,
      ): Promise<types.DocumentsAccessUpdateResponse>;
      readonly disableState: {
        /**
         * Disables or re-enables access to documents.
         *
         * While a document is disabled, access checks on it fail and no token is generated for it. Administrative calls still work. An unknown document fails with `not-found`, without affecting the others; an unknown organization fails the call with `NOT_FOUND`. Emits no event; repeating the call changes nothing.
         *
         * POST /v2/organizations/documents/access/disablestate/update
         */
        update(
          data: types.DocumentsAccessDisableStateUpdateRequest,
          options?: WriteOptions,
        ): Promise<types.DocumentsAccessDisableStateUpdateResponse>;
      };
    };
    /**
     * Moves a document and everything in it to a new id.
     *
     * Starts a job and returns at once; read its status with `/v2/organizations/documents/migrate/status`. The move is atomic at any size: until then the document has its old id, afterwards only the new one. Both ids are reserved until the job ends. After the move, calls that write to the old id fail with `NOT_FOUND`; `details.movedTo` names the new id for 90 days, or until the old id is added again or the document is deleted. The job emits `document.migrated`, or `document.migration_failed` when nothing was changed. Fails with `NOT_FOUND` for an unknown organization or document, `ALREADY_EXISTS` when the new id is taken, and `FAILED_PRECONDITION` with `details.migrationId` while another migration reserves one of the ids. Send an `Idempotency-Key`, so that a retry returns the first `migrationId`.
     *
     * POST /v2/organizations/documents/migrate
     */
    migrate(
      data: types.DocumentsMigrateRequest,
      options?: WriteOptions,
    ): Promise<types.DocumentsMigrateResponse>;
    /**
     * Returns the status of a document migration.
     *
     * The status is kept for 90 days after the migration ends. The status is readable from the moment the migration is accepted. Poll every 250 ms until it is `completed` or `failed`, or receive the events `document.migrated` and `document.migration_failed`. An unknown migration, or one of another organization, fails with `NOT_FOUND`.
     *
     * POST /v2/organizations/documents/migrate/status
     */
    getMigrationStatus(
      data: types.DocumentsGetMigrationStatusRequest,
      options?: CallOptions,
    ): Promise<types.DocumentsGetMigrationStatusResponse>;
  };
  readonly folders: {
    /**
     * Adds folders to an organization.
     *
     * Parents and children may be sent in any order. Adds up to 1,000 folders in one transaction, max 64 levels deep. A folder that exists fails with `already-exists`, one without a parent with `not-found`, and one beyond 64 levels with `failed-precondition`. Folders below the latter two fail with them; the others are added. Fields beyond the schema are free metadata, max 16 KiB per folder. An unknown organization fails the call with `NOT_FOUND` unless `createOrganization` is true. Fails with `FAILED_PRECONDITION` while the data of a user named in the metadata is being deleted. Emits no event.
     *
     * POST /v2/organizations/folders/add
     */
    add(data: types.FoldersAddRequest, options?: WriteOptions): Promise<types.FoldersAddResponse>;
    /**
     * Returns one folder with its subfolders, or all folders of an organization in id order.
     *
     * With `folderId`, the response is a list of one folder; `root` returns the top folders, nested down to `maxDepth` - 1. More than 10,000 folders or 10 MiB in one nested response fail with `INVALID_ARGUMENT`. Without `folderId`, folders are not nested, and a request without `pageSize` returns all of them in one streamed response. An unknown organization or folder fails with `NOT_FOUND`.
     *
     * POST /v2/organizations/folders/get
     */
    get(
      data: types.FoldersGetRequest,
      options?: CallOptions,
    ): ListCall<types.FoldersGetResponse, types.Folder>;
    /**
     * Renames folders, moves them with everything below, and updates their metadata.
     *
     * A metadata field sent as null is removed. Updates up to 1,000 folders in one transaction, in the order sent: each update sees the result of the previous ones. Fields that are not sent keep their value, and free metadata is merged. Items fail individually, and a failed folder is not changed. An unknown folder or parent fails with `not-found`. A move into itself or beyond 64 levels fails with `failed-precondition`. A folder that would hold more than 64 KiB of metadata fails with `invalid-argument`. A move of hundreds of thousands of subfolders that takes over 10 seconds changes nothing and fails with `DEADLINE_EXCEEDED`: move subfolders first. An unknown organization fails the call with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data of a user named in the metadata is being deleted. Emits no event.
     *
     * POST /v2/organizations/folders/update
     */
    update(data: types.FoldersUpdateRequest, options?: WriteOptions): Promise<types.FoldersUpdateResponse>;
    /**
     * Deletes a folder, its subfolders and their documents.
     *
     * All are gone, and their ids reusable, when the call returns. Subfolders, documents and their records become invisible in the same transaction. The call waits for running writes to the folders for up to 10 seconds; meanwhile further writes fail with `ABORTED`. A job, `result.jobId`, then deletes the rows; it cannot be canceled. Running migrations of the documents end as failed and emit `document.migration_failed`. A deletion of hundreds of thousands of subfolders that takes over 10 seconds changes nothing and fails with `DEADLINE_EXCEEDED`: delete subfolders first. The audit log records the call. An unknown organization or folder fails with `NOT_FOUND`.
     *
     * POST /v2/organizations/folders/delete
     */
    delete(data: types.FoldersDeleteRequest, options?: WriteOptions): Promise<types.FoldersDeleteResponse>;
    readonly access: {
      /**
       * Sets the access type of folders, or restores inheritance from the parent.
       *
       * An unknown folder fails with `not-found`, without affecting the others; an unknown organization fails the call with `NOT_FOUND`. Folders and documents that inherit from the folder change with it at once. Emits no event; repeating the call changes nothing.
       *
       * POST /v2/organizations/folders/access/update
       */
      update(
        data: types.FoldersAccessUpdateRequest,
        options?: WriteOptions,
      ): Promise<types.FoldersAccessUpdateResponse>;
    };
  };
  readonly users: {
    /**
     * Adds members to an organization, a document or a folder, optionally with a role.
     *
     * A user who exists is updated. Adds up to 1,000 users to exactly one level: the organization, or the document or folder in the request. A profile belongs to the API key, so an update shows in every organization. Fields beyond the schema are free metadata, max 16 KiB per user. A user who would hold more than 64 KiB of it fails with `invalid-argument`, without affecting the others. An unknown organization, document or folder fails the call with `NOT_FOUND`, unless its create flag is true. Fails with `FAILED_PRECONDITION` while the data of one of the users is being deleted. Emits no event; repeating the call changes nothing.
     *
     * POST /v2/users/add
     */
    add(data: types.UsersAddRequest, options?: WriteOptions): Promise<types.UsersAddResponse>;
    /**
     * Returns the members at one level, or of all documents of an organization.
     *
     * A page may be short: only an absent `nextPageToken` marks the end. Returns members of exactly one level: without `documentId`, `folderId` and `allDocuments`, those of the organization itself. All filters apply together. On `/v1`, a request without `pageSize` returns all members in one streamed response; `/v2` returns pages of 1,000 in order of the ids. With `groupByDocumentId`, the next page may continue the last document. Unknown users and groups match nothing. An unknown organization, document or folder fails with `NOT_FOUND`. Involved documents are counted exactly, over all memberships and activity logs of the users in the organization, within 10 seconds; else the call fails with `DEADLINE_EXCEEDED`.
     *
     * POST /v2/users/get
     */
    get(data: types.UsersGetRequest, options?: CallOptions): ListCall<types.UsersGetResponse, types.User>;
    /**
     * Returns users of every organization whose id, e-mail address or name starts with a prefix.
     *
     * Those found by id come first, then those found by e-mail address, then those found by name, each in its order. Includes users without a membership. Addresses are compared in lowercase. Name search ignores case; id search is case-sensitive. A page may be short or empty although more pages follow: read on until `nextPageToken` is absent.
     *
     * POST /v2/users/search
     */
    search(
      data: types.UsersSearchRequest,
      options?: CallOptions,
    ): ListCall<types.UsersSearchResponse, types.FoundUser>;
    readonly count: {
      /**
       * Returns the exact number of members of an organization, of a document, or of all documents.
       *
       * Counts members of the organization itself without `documentId` and `allDocuments`. Each user counts once. Counts within 10 seconds, else fails with `DEADLINE_EXCEEDED`. An unknown organization or document fails with `NOT_FOUND`; an unknown user counts 0.
       *
       * POST /v2/users/count/get
       */
      get(data: types.UsersCountGetRequest, options?: CallOptions): Promise<types.UsersCountGetResponse>;
    };
    readonly doc: {
      /**
       * Returns users that belong to at least one document of an organization, with the document ids.
       *
       * Lists up to 20,000 documents per user. Returns pages of 1,000 users in order of their ids. A page ends at 10 MiB, so it may be short: only an absent `nextPageToken` marks the end. Users who belong to no document are left out. An unknown organization fails with `NOT_FOUND`. Involved documents are counted exactly, over all memberships and activity logs of the users in the organization, within 10 seconds; else the call fails with `DEADLINE_EXCEEDED`.
       *
       * POST /v2/users/doc/get
       */
      get(
        data: types.UsersDocGetRequest,
        options?: CallOptions,
      ): ListCall<types.UsersDocGetResponse, types.UsersDocGetItem>;
    };
    /**
     * Updates members at one level, of any document of an organization, or all users of the API key.
     *
     * Updates up to 1,000 users in one transaction. Fields that are not sent keep their value; a metadata field sent as null is removed. A profile belongs to the API key, so the change shows in every organization; `accessRole` changes the membership at the level. A user outside the scope fails with `not-found`, one who would hold more than 64 KiB of metadata with `invalid-argument`; the others are updated. An unknown organization, document or folder fails the call with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data of one of the users is being deleted. A call that takes more than 10 seconds changes nothing and fails with `DEADLINE_EXCEEDED`: send fewer users. With `options.allDocuments`, `accessRole` changes all documents of a user in this time; for millions, send it with `documentId`. Emits no event.
     *
     * POST /v2/users/update
     */
    update(data: types.UsersUpdateRequest, options?: WriteOptions): Promise<types.UsersUpdateResponse>;
    /**
     * Removes users’ membership and role at one level.
     *
     * Removal from an organization includes its documents, folders and groups. Grants are kept. Removes up to 1,000 users in one transaction. The users themselves and their records are kept; delete those with `/v2/users/data/delete`. A user without a membership at the level fails with `not-found`, without affecting the others. An unknown organization, document or folder fails the call with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data of one of the users is being deleted. A call that takes more than 10 seconds changes nothing and fails with `DEADLINE_EXCEEDED`: send fewer users. Remove a user of millions of documents from these first, with `documentId`. Emits no event.
     *
     * POST /v2/users/delete
     */
    delete(data: types.UsersDeleteRequest, options?: WriteOptions): Promise<types.UsersDeleteResponse>;
    readonly data: {
      /**
       * Starts a job that deletes all data of users, in the given organizations or in every organization.
       *
       * Deletes memberships, grants, preferences, notifications and their deliveries, activity logs, comments, reactions, read marks, recordings and agent executions of the users. Removes them from groups, and from the mentions, recipients and free JSON of records that stay. Without `organizationIds` the users themselves are deleted too. Until the job ends, every write that names one of the users in these organizations fails with `FAILED_PRECONDITION`, `details.userIds` and `details.jobId`. The job completes only after a verification scan finds nothing, emits `user.data_deleted`, and issues a signed receipt that is kept for one year. A dry run counts, deletes nothing and blocks no writes. Unknown users and organizations are not errors. Send an `Idempotency-Key`, so that a retry returns the first `jobId`.
       *
       * POST /v2/users/data/delete
       */
      delete(
        data: types.UsersDataDeleteRequest,
        options?: WriteOptions,
      ): Promise<types.UsersDataDeleteResponse>;
      /**
       * Returns the status of a user data deletion and its receipt.
       *
       * Poll after `pollAfterMs` until `status` is `completed` or `failed`. `notReached` lists what no deletion reaches, such as text inside shared CRDT content and copies already delivered. The status is kept as long as the receipt, one year; that of a dry run for 90 days. A job that is unknown, or of another kind, fails with `NOT_FOUND`.
       *
       * POST /v2/users/data/delete/status
       */
      getDeletionStatus(
        data: types.UsersDataGetDeletionStatusRequest,
        options?: CallOptions,
      ): Promise<types.UsersDataGetDeletionStatusResponse>;
      /**
       * Verifies the receipt of a user data deletion and returns which users it covers.
       *
       * Checks the signature of the receipt and that its readable fields equal the signed ones; otherwise fails with `INVALID_ARGUMENT`. User ids are on a receipt only as pseudonyms of your API key, so a receipt of another key is invalid too. Works as long as you keep the receipt, even after Steward deleted it. Changes nothing.
       *
       * POST /v2/users/data/delete/receipt/verify
       */
      verifyReceipt(
        data: types.UsersDataVerifyReceiptRequest,
        options?: CallOptions,
      ): Promise<types.UsersDataVerifyReceiptResponse>;
      /**
       * Exports all data of a user in an organization.
       *
       * A page has up to 100 records of each kind and 10 MiB. Exports the data that `/v2/users/data/delete` deletes for the user in this organization, except events and responses of their receivers, former addresses, keys in metadata of other users and of webhook endpoints, and caches: of decisions of the permission provider, and of the Slack account of the user. Every page continues all lists; read on until `nextPageToken` is absent, because a page may be short. `user` is on the first page only. An unknown user or organization returns empty lists. The audit log records the call.
       *
       * POST /v2/users/data/get
       */
      get(data: types.UsersDataGetRequest, options?: CallOptions): PagedCall<types.UsersDataGetResponse>;
    };
  };
  readonly userGroups: {
    /**
     * Adds user groups to an organization and renames those that exist.
     *
     * Adds up to 1,000 groups in one transaction. A group that exists gets the name that was sent and keeps its members. An unknown organization fails the call with `NOT_FOUND` unless `createOrganization` is true. Emits no event; repeating the call changes nothing.
     *
     * POST /v2/organizations/usergroups/add
     */
    add(data: types.UserGroupsAddRequest, options?: WriteOptions): Promise<types.UserGroupsAddResponse>;
    readonly users: {
      /**
       * Adds members of an organization to one of its user groups.
       *
       * Adds up to 1,000 users in one transaction. A user who is not a member of the organization fails with `not-found`, without affecting the others; a user who is already in the group succeeds. An unknown organization or group fails the call with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data of one of the users is being deleted. Emits no event.
       *
       * POST /v2/organizations/usergroups/users/add
       */
      add(
        data: types.UserGroupsUsersAddRequest,
        options?: WriteOptions,
      ): Promise<types.UserGroupsUsersAddResponse>;
      /**
       * Removes users from a user group of an organization.
       *
       * A user who is not in the group fails with `not-found`, without affecting the others. With `deleteAll`, `data` is empty and `deletedCount` contains the number of removed users. Users keep their membership in the organization. An unknown organization or group fails the call with `NOT_FOUND`. A group with so many users that `deleteAll` fails with `DEADLINE_EXCEEDED` needs calls with `userIds`. Fails with `FAILED_PRECONDITION` while the data of one of the given users is being deleted. Emits no event.
       *
       * POST /v2/organizations/usergroups/users/delete
       */
      delete(
        data: types.UserGroupsUsersDeleteRequest,
        options?: WriteOptions,
      ): Promise<types.UserGroupsUsersDeleteResponse>;
    };
  };
  readonly activities: {
    /**
     * Adds activity logs to a document, all or none.
     *
     * An existing id is overwritten. Writes all records in one transaction, each at most 256 KiB. Each new or changed record emits an event whose type is its `actionType`, while webhooks are on. A record equal to the stored one changes and emits nothing, so a repeat with the same ids is safe. Fails with `FAILED_PRECONDITION` while activity logs are off, while the data of a named user is being deleted, and for an overwrite with other content while activity logs are immutable. Unknown users are created without a name; one call names up to 1,000 different users. An unknown organization or document fails with `NOT_FOUND`, unless its create flag is true. Records of one call count as written in the order of the request when their ids are generated, otherwise in the order of their ids, by bytes.
     *
     * POST /v2/activities/add
     */
    add(data: types.ActivitiesAddRequest, options?: WriteOptions): Promise<types.ActivitiesAddResponse>;
    /**
     * Lists activity logs by time.
     *
     * A page may be short: only an absent `nextPageToken` marks the end. All filters apply together. Returns pages of 1,000 records, ordered by `timestamp`; records with the same time are in insertion order. The order stays stable while records are added. Unknown ids match nothing. An unknown organization or document fails with `NOT_FOUND`.
     *
     * POST /v2/activities/get
     */
    get(
      data: types.ActivitiesGetRequest,
      options?: CallOptions,
    ): ListCall<types.ActivitiesGetResponse, types.ActivityLog>;
    /**
     * Updates activity logs.
     *
     * Updates up to 1,000 records in one transaction. Fields that are not sent keep their value; fields that are sent are replaced, not merged. An unknown record fails with `not-found`, without affecting the others; while activity logs are immutable, each record fails with `failed-precondition`. A record that would exceed 256 KiB is not changed and fails with `invalid-argument`, without affecting the others. An unknown organization fails the call with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data of a named user is being deleted. Emits no event.
     *
     * POST /v2/activities/update
     */
    update(
      data: types.ActivitiesUpdateRequest,
      options?: WriteOptions,
    ): Promise<types.ActivitiesUpdateResponse>;
    /**
     * Deletes activity logs that match every given condition.
     *
     * Deletes up to 1,000 matching records in the call and lists each in `data`; `result.deletedCount` contains their number. `result.jobId` is the job that deletes the rest. An id that does not exist or does not match fails with `not-found`, without affecting the others; while activity logs are immutable, each record fails with `failed-precondition`. An unknown organization or document fails the call with `NOT_FOUND`. Emits no event.
     *
     * POST /v2/activities/delete
     */
    delete(
      data: types.ActivitiesDeleteRequest,
      options?: WriteOptions,
    ): Promise<types.ActivitiesDeleteResponse>;
  };
  readonly notifications: {
    /**
     * Notifies the named users or the members of the document.
     *
     * Steward adds the notification to the inbox of each recipient whose preferences allow it. An existing notification is overwritten, even from another document of the organization; it keeps its time and becomes unread. An equal notification changes and emits nothing, so a repeat with the same id is safe. Emits `notification.add` while webhooks are on. A notification is at most 256 KiB without its recipients, and one call names up to 1,000 different users. Without `notifyUsers`, a job notifies the members beyond the first 1,000. An unknown organization or document fails with `NOT_FOUND`, unless its create flag is true. Fails with `FAILED_PRECONDITION` while the data of a named user is being deleted.
     *
     * POST /v2/notifications/add
     */
    add(data: types.NotificationsAddRequest, options?: WriteOptions): Promise<types.NotificationsAddResponse>;
    /**
     * Lists notifications by one of nine combinations of filters, newest first.
     *
     * A page may be short: only an absent `nextPageToken` marks the end. Any other combination of filters fails with `INVALID_ARGUMENT`, whose message lists the nine. On `/v1`, a request without `pageSize` returns all notifications in one streamed response; `/v2` returns pages of 1,000. The order stays stable while notifications are added. Unknown users and notifications match nothing. An unknown organization or document fails with `NOT_FOUND`.
     *
     * POST /v2/notifications/get
     */
    get(
      data: types.NotificationsGetRequest,
      options?: CallOptions,
    ): ListCall<types.NotificationsGetResponse, types.Notification>;
    /**
     * Updates notifications, replaces their recipients and marks them as read.
     *
     * New texts make a notification unread unless `persistReadForUsers` is true. Fields that are not sent keep their value. An unknown notification fails with `not-found`, and one that would exceed 256 KiB with `invalid-argument`. A call moves notifications with up to 10,000 recipients in total to another location; one beyond that fails with `failed-precondition` and is not changed, unless its recipients are replaced, too. The others are updated. A call names up to 1,000 different users. An unknown organization or document fails the call with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data of a named user is being deleted. Emits no event. When recipients are replaced, a job may delete the former ones: `result.jobId`.
     *
     * POST /v2/notifications/update
     */
    update(
      data: types.NotificationsUpdateRequest,
      options?: WriteOptions,
    ): Promise<types.NotificationsUpdateResponse>;
    /**
     * Deletes notifications that match every given condition.
     *
     * Deletes up to 1,000 notifications in the call and lists each in `data`; `result.deletedCount` contains their number. `result.jobId` is the job that deletes the others and those that together have more than 10,000 named users; they stay listed until the job reaches them. A notification without remaining recipients is deleted. An id that does not exist or does not match fails with `not-found`, without affecting the others. An unknown organization or document fails the call with `NOT_FOUND`; an unknown user matches nothing. Emits no event.
     *
     * POST /v2/notifications/delete
     */
    delete(
      data: types.NotificationsDeleteRequest,
      options?: WriteOptions,
    ): Promise<types.NotificationsDeleteResponse>;
    readonly config: {
      /**
       * Returns the effective notification preferences of a user, by document or for the organization.
       *
       * Returns one entry per document, in the order of the request. Each channel takes the level of the document, else that of the organization, else the default: `ALL` for the inbox, `MINE` for e-mail, `NONE` for Slack. An unknown organization or document fails with `NOT_FOUND`; an unknown user has the defaults.
       *
       * POST /v2/notifications/config/get
       */
      get(
        data: types.NotificationsConfigGetRequest,
        options?: CallOptions,
      ): Promise<types.NotificationsConfigGetResponse>;
      /**
       * Sets notification preferences of users in documents or in the organization.
       *
       * Channels that are not sent keep their level. Sets the same levels for each user in each document. The preference for the organization applies where a document has none. Requires the notification service, else fails with `FAILED_PRECONDITION`. An unknown document fails every user with `not-found` and writes nothing; `result.missingDocumentIds` names it. An unknown organization fails the call with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data of one of the users is being deleted. Emits no event; repeating the call changes nothing.
       *
       * POST /v2/notifications/config/set
       */
      set(
        data: types.NotificationsConfigSetRequest,
        options?: WriteOptions,
      ): Promise<types.NotificationsConfigSetResponse>;
    };
    readonly deliveries: {
      /**
       * Lists deliveries of notifications by e-mail and Slack, newest first.
       *
       * Filters are combined with AND. Deliveries are kept for 30 days after their creation. A page examines at most 20,000 deliveries and ends at 10 MiB, so it may be short: only an absent `nextPageToken` marks the end. Unknown users, notifications and deliveries match nothing. An unknown organization or document fails with `NOT_FOUND`.
       *
       * POST /v2/notifications/deliveries/get
       */
      get(
        data: types.NotificationsDeliveriesGetRequest,
        options?: CallOptions,
      ): ListCall<types.NotificationsDeliveriesGetResponse, types.NotificationDelivery>;
    };
    /**
     * Explains why a user did or did not get a notification by e-mail or Slack.
     *
     * For a notice or delivery of the last 30 days, `source` is `recorded`. When the planning rules stopped the notice, nothing is stored. The rules then run again with the current settings, `source` is `computed`, and the outcome is `not-planned`. `reason` is null if the rules would plan the notice now. For a comment, they run with the users that the annotation involves now, so a member of the document who was its assignee or tagged before counts only as a member. For a key with a permission provider, the call may query it about the user: a failure of the provider is `no-access`. An unknown user is `not-recipient`. An unknown organization or notification fails with `NOT_FOUND`.
     *
     * POST /v2/notifications/explain
     */
    explain(
      data: types.NotificationsExplainRequest,
      options?: CallOptions,
    ): Promise<types.NotificationsExplainResponse>;
  };
  readonly commentAnnotations: {
    /**
     * Adds comment annotations with their comments to a document.
     *
     * Each annotation succeeds or fails individually. Repeating the item that created an annotation succeeds and changes nothing; another item with an existing id fails with `already-exists`. A call contains at most 1,000 comments and names at most 1,000 users. An annotation without its comments, and each comment, has at most 256 KiB. Records of one call count as written in the order of the request when their ids are generated, otherwise in the order of their ids, by bytes.
     *
     * POST /v2/commentannotations/add
     */
    add(
      data: types.CommentAnnotationsAddRequest,
      options?: WriteOptions,
    ): Promise<types.CommentAnnotationsAddResponse>;
    /**
     * Lists comment annotations with all of their comments and reactions, by lastUpdated.
     *
     * Filters are combined with AND, values of one list with OR. A page ends at `pageSize` annotations, 20,000 comments and reactions, or 10 MiB, and examines at most 20,000 annotations. So it may be short: only an absent `nextPageToken` marks the end. Returns annotations of every visibility. An annotation that does not change while pages are read appears exactly once.
     *
     * POST /v2/commentannotations/get
     */
    get(
      data: types.CommentAnnotationsGetRequest,
      options?: CallOptions,
    ): ListCall<types.CommentAnnotationsGetResponse, types.CommentAnnotationsGetItem>;
    readonly count: {
      /**
       * Counts the annotations of documents that a user may see, and the unread ones.
       *
       * An annotation is unread when another user made its last change, after this user marked it, or its document, as read. An unknown document counts 0; an unknown user sees public annotations. Counts within 10 seconds, else fails with `DEADLINE_EXCEEDED`.
       *
       * POST /v2/commentannotations/count/get
       */
      get(
        data: types.CommentAnnotationsCountGetRequest,
        options?: CallOptions,
      ): Promise<types.CommentAnnotationsCountGetResponse>;
    };
    /**
     * Updates the annotations of a document that match every given condition, and replaces users in them.
     *
     * Without conditions it updates all annotations of the document; with more than 1,000 matching ones it fails and writes nothing. It also fails when it would examine more than 100,000 annotations; `annotationIds` finds them in larger documents, and `userIds` those of a user with fewer. First, `updateUsers` replaces users in the annotations and in up to 10,000 comments and reactions, and emits nothing. Then `updatedData` replaces fields. An unchanged annotation keeps its `lastUpdated` and emits nothing, so the call can be repeated. With `triggerNotification` or `triggerActivities`, each change of an annotation emits one of `comment_annotation.status_change`, `comment_annotation.priority_change`, `comment_annotation.assign`, `comment_annotation.suggestion_accept`, `comment_annotation.suggestion_reject` and `comment_annotation.access_mode_change`.
     *
     * POST /v2/commentannotations/update
     */
    update(
      data: types.CommentAnnotationsUpdateRequest,
      options?: WriteOptions,
    ): Promise<types.CommentAnnotationsUpdateResponse>;
    /**
     * Deletes the annotations of a document that match every given condition, with their comments and reactions.
     *
     * Without conditions it deletes all annotations of the document. A call deletes up to 1,000 annotations and returns an outcome for each. A job deletes the others that existed at the call, comments and reactions beyond 10,000, and notifications about them beyond 1,000. Without `annotationIds` a call examines up to 20,000 annotations, so it may delete none and leave all to the job. Annotations and comments that the call deletes are invisible when it returns. Annotations left to the job are listed and counted until it reaches them. The ids of both can be used again at once. With a trigger, each annotation that the call itself deletes emits `comment_annotation.delete`; no notification is sent.
     *
     * POST /v2/commentannotations/delete
     */
    delete(
      data: types.CommentAnnotationsDeleteRequest,
      options?: WriteOptions,
    ): Promise<types.CommentAnnotationsDeleteResponse>;
    readonly viewed: {
      /**
       * Marks annotations, or all annotations of a document, as read by a user.
       *
       * Only this operation writes read marks. A mark never moves back and unknown annotations are ignored, so the call can be repeated. Emits no event.
       *
       * POST /v2/commentannotations/viewed/set
       */
      set(
        data: types.CommentAnnotationsViewedSetRequest,
        options?: WriteOptions,
      ): Promise<types.CommentAnnotationsViewedSetResponse>;
    };
    readonly comments: {
      /**
       * Adds comments to an annotation, all or none.
       *
       * A comment without `commentId` gets the largest id that the annotation ever used, plus one. Repeating a call with ids of your own succeeds and changes nothing; a different comment with an existing id fails with `ALREADY_EXISTS`. An annotation holds at most 1,000 comments, 10,000 reactions and 8 MiB of both. It involves at most 1,000 users. Each comment with `triggerNotification` or `triggerActivities` emits `comment.add`.
       *
       * POST /v2/commentannotations/comments/add
       */
      add(
        data: types.CommentAnnotationsCommentsAddRequest,
        options?: WriteOptions,
      ): Promise<types.CommentAnnotationsCommentsAddResponse>;
      /**
       * Lists the comments of an annotation with their reactions, by createdAt.
       *
       * With `commentIds`, returns one entry for each id, in request order: null for an unknown id, or a comment of an author outside `userIds`. A page ends at `pageSize` comments or 10 MiB: only an absent `nextPageToken` marks the end.
       *
       * POST /v2/commentannotations/comments/get
       */
      get(
        data: types.CommentAnnotationsCommentsGetRequest,
        options?: CallOptions,
      ): ListCall<types.CommentAnnotationsCommentsGetResponse, types.CommentAnnotationsCommentsGetItem>;
      /**
       * Replaces fields of the matching comments of an annotation.
       *
       * Without conditions it updates all comments of the annotation, up to 1,000. Each field of `updatedData` replaces the stored one as a whole; an empty list removes it. A comment whose text, HTML, tags or attachments change becomes `updated`, with `isEdited` and `editedAt`. Each changed comment gets a new `lastUpdated`, which never decreases. An unchanged comment keeps its times and emits nothing, so the call can be repeated. With a trigger, each changed comment emits `comment.update`; the notification treats newly tagged users as mentioned.
       *
       * POST /v2/commentannotations/comments/update
       */
      update(
        data: types.CommentAnnotationsCommentsUpdateRequest,
        options?: WriteOptions,
      ): Promise<types.CommentAnnotationsCommentsUpdateResponse>;
      /**
       * Deletes the comments of an annotation that match every given condition, with their reactions.
       *
       * Without conditions it deletes all comments of the annotation. Deleting the last comment deletes the annotation; the response then contains `annotationDeleted`. The call deletes up to 1,000 notifications about deleted comments, and a job deletes the others. With a trigger, each comment emits `comment.delete`, and a deleted annotation `comment_annotation.delete`; no notification is sent. Repeating the call returns `not-found` for deleted comments, or fails with `NOT_FOUND` when the annotation is deleted.
       *
       * POST /v2/commentannotations/comments/delete
       */
      delete(
        data: types.CommentAnnotationsCommentsDeleteRequest,
        options?: WriteOptions,
      ): Promise<types.CommentAnnotationsCommentsDeleteResponse>;
      readonly reactions: {
        /**
         * Adds a user's reaction to a comment.
         *
         * A user has at most one reaction to a comment with each icon; repeating the call succeeds and emits nothing. A comment has at most 100 different icons. An annotation holds at most 10,000 reactions and 8 MiB of comments and reactions. With `triggerNotification` or `triggerActivities` the call emits `comment.reaction_add`, and `triggerNotification` notifies the author of the comment.
         *
         * POST /v2/commentannotations/comments/reactions/add
         */
        add(
          data: types.CommentAnnotationsCommentsReactionsAddRequest,
          options?: WriteOptions,
        ): Promise<types.CommentAnnotationsCommentsReactionsAddResponse>;
        /**
         * Deletes a user's reaction to a comment.
         *
         * Fails with `NOT_FOUND` when the user has no reaction with this icon, so repeating the call changes nothing. With `triggerNotification` or `triggerActivities`, the call emits `comment.reaction_delete`; no notification is sent.
         *
         * POST /v2/commentannotations/comments/reactions/delete
         */
        delete(
          data: types.CommentAnnotationsCommentsReactionsDeleteRequest,
          options?: WriteOptions,
        ): Promise<types.CommentAnnotationsCommentsReactionsDeleteResponse>;
      };
    };
  };
  readonly crdt: {
    /**
     * Creates the Yjs document of an editor with its first content.
     *
     * Creates a real Yjs document with the content under `contentKey`. Emits `crdt.update_data` within about 5 seconds, once for all writes of that time, while webhooks are on. An editor that has content fails with `ALREADY_EXISTS`, so a repeat adds nothing. An unknown organization or document fails with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data of `lastUpdatedBy` is being deleted.
     *
     * POST /v2/crdt/add
     */
    add(data: types.CrdtAddRequest, options?: WriteOptions): Promise<types.CrdtAddResponse>;
    /**
     * Returns the content of one editor of a document, or of all.
     *
     * Returns content decoded from the Yjs documents, in order of the editor ids. A request without `pageSize` returns all records in one streamed response. An unknown editor returns an empty list. An unknown organization or document fails with `NOT_FOUND`.
     *
     * POST /v2/crdt/get
     */
    get(
      data: types.CrdtGetRequest,
      options?: CallOptions,
    ): ListCall<types.CrdtGetResponse, types.CollaborativeData>;
    /**
     * Lists the editors of a document with type, size and version, without their content.
     *
     * Lists records in order of the editor ids. `crdt/get` returns their content. An unknown organization or document fails with `NOT_FOUND`.
     *
     * POST /v2/crdt/list
     */
    list(
      data: types.CrdtListRequest,
      options?: CallOptions,
    ): ListCall<types.CrdtListResponse, types.CollaborativeDataSummary>;
    /**
     * Merges a Yjs update into the document of an editor, or replaces its content.
     *
     * Updates merge in any order, and repeating one has no effect. `data` replaces the whole content: of two concurrent replacements one remains, never a mixture. Content is at most 10 MiB when decoded. Emits `crdt.update_data` within about 5 seconds, once for all writes of that time, while webhooks are on. An editor without content fails with `NOT_FOUND`, and another `type` or `contentKey` than the stored one with `INVALID_ARGUMENT`. Fails with `FAILED_PRECONDITION` while the data of `lastUpdatedBy` is being deleted.
     *
     * POST /v2/crdt/update
     */
    update(data: types.CrdtUpdateRequest, options?: WriteOptions): Promise<types.CrdtUpdateResponse>;
    /**
     * Deletes the content of the given editors of a document, or of all.
     *
     * Deletes the records of `editorIds` in the call, whatever their size. Without `editorIds`, deletes up to 1,000 records with 256 MiB in the call, and the job `result.jobId` deletes the rest. `data` lists each record that the call deleted, and `result.deletedCount` contains their number. An editor without content fails with `not-found`, without affecting the others. Pending `crdt.update_data` events are emitted first. An unknown organization or document fails the call with `NOT_FOUND`.
     *
     * POST /v2/crdt/delete
     */
    delete(data: types.CrdtDeleteRequest, options?: WriteOptions): Promise<types.CrdtDeleteResponse>;
  };
  readonly agents: {
    readonly executions: {
      /**
       * Adds an execution of an agent, running or ended.
       *
       * Emits `agent.execution.running`, or the event of the end state, while webhooks are on. An `executionId` that exists fails with `ALREADY_EXISTS`, so a repeated call with the same id adds nothing. An unknown organization or document fails with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data of a named user is being deleted. The user in `ranBy` is created when unknown.
       *
       * POST /v2/agents/execution/add
       */
      add(
        data: types.AgentsExecutionsAddRequest,
        options?: WriteOptions,
      ): Promise<types.AgentsExecutionsAddResponse>;
      /**
       * Updates an execution, or ends it. An execution ends only once.
       *
       * An execution ends once: a second end, or another `completedAt` after it, fails with `FAILED_PRECONDITION`. Message, agent name and results may change afterwards. The end emits `agent.execution.passed`, `.failed`, `.error` or `.skipped` while webhooks are on; other changes emit nothing. An unknown execution fails with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the data of a named user is being deleted.
       *
       * POST /v2/agents/execution/update
       */
      update(
        data: types.AgentsExecutionsUpdateRequest,
        options?: WriteOptions,
      ): Promise<types.AgentsExecutionsUpdateResponse>;
      /**
       * Returns an execution, with its results on request.
       *
       * An unknown execution fails with `NOT_FOUND`, and so does one whose organization or document was deleted.
       *
       * POST /v2/agents/execution/get
       */
      get(
        data: types.AgentsExecutionsGetRequest,
        options?: CallOptions,
      ): Promise<types.AgentsExecutionsGetResponse>;
      /**
       * Lists executions by start time.
       *
       * A page may be short: only `hasMore: false` marks the end. All filters apply together. The order is by `startedAt`, with the same time in insertion order, and stays stable while executions are added. Unknown ids match nothing and do not fail.
       *
       * POST /v2/agents/execution/list
       */
      list(
        data?: types.AgentsExecutionsListRequest,
        options?: CallOptions,
      ): ListCall<types.AgentsExecutionsListResponse, types.AgentExecution>;
      /**
       * Returns exact counts of executions, by agent or in total.
       *
       * An unknown agent counts 0. Counts within 10 seconds, else fails with `DEADLINE_EXCEEDED`.
       *
       * POST /v2/agents/execution/count
       */
      count(
        data?: types.AgentsExecutionsCountRequest,
        options?: CallOptions,
      ): Promise<types.AgentsExecutionsCountResponse>;
    };
  };
  readonly recordings: {
    /**
     * Adds recordings to a document. An existing id is overwritten.
     *
     * Each recording succeeds or fails individually. An overwrite keeps the time of creation unless another is sent. A recording equal to the stored one changes and emits nothing, so a call with your own ids can be repeated. With `triggerActivities`, each change emits `recorder.done` and writes an activity log of featureType `recorder` while activity logs are on, unless their trigger `recorder.done` is false. Records of one call count as written in the order of the request when their ids are generated, otherwise in the order of their ids, by bytes.
     *
     * POST /v2/recordings/add
     */
    add(data: types.RecordingsAddRequest, options?: WriteOptions): Promise<types.RecordingsAddResponse>;
    /**
     * Lists recordings of a document or an organization, the most recently updated first.
     *
     * Without `documentId`, lists recordings of every document. A page ends at `pageSize` or 10 MiB and may be short: only an absent `nextPageToken` marks the end. A recording that does not change while pages are read appears exactly once.
     *
     * POST /v2/recordings/get
     */
    get(
      data: types.RecordingsGetRequest,
      options?: CallOptions,
    ): ListCall<types.RecordingsGetResponse, types.Recording>;
    /**
     * Deletes recordings by document, by id, or by both. A job deletes those beyond 1,000.
     *
     * The filters are combined with AND. The call deletes up to 1,000 recordings and returns an outcome for each. The job in `jobId` deletes the others that existed at the call. The call can be repeated.
     *
     * POST /v2/recordings/delete
     */
    delete(
      data: types.RecordingsDeleteRequest,
      options?: WriteOptions,
    ): Promise<types.RecordingsDeleteResponse>;
  };
  readonly rewriter: {
    /**
     * Rewrites a text with an AI model and your own provider key.
     *
     * Uses the key of the provider from `/v2/workspace/apikeyconfig/update`. The provider is called up to three times within 60 seconds; refusals are not retried. Failures of the provider, an unknown model and a missing key return HTTP 200 with `success: false` and a `code`. With an `Idempotency-Key`, a success is returned again for 24 hours, and a failure may be retried with the same key. A caller that disconnects cancels the call, unless it sent a key. Prompt and text are stored encrypted until the response. Fails with `UNAVAILABLE` while Temporal is down.
     *
     * POST /v2/rewriter/ask-ai
     */
    askAi(data: types.RewriterAskAiRequest, options?: WriteOptions): Promise<types.RewriterAskAiResponse>;
  };
  readonly jobs: {
    /**
     * Returns the status of a job.
     *
     * Poll after `pollAfterMs` until `status` is `completed` or `failed`. Migrations and user data deletions have operations with more details. An unknown job, or one of another API key, fails with `NOT_FOUND`. A job is kept for 90 days after its end.
     *
     * POST /v2/jobs/get
     */
    get(data: types.JobsGetRequest, options?: CallOptions): Promise<types.JobsGetResponse>;
    /**
     * Lists the jobs of the API key, newest first.
     *
     * A page may be short: only an absent `nextPageToken` marks the end. Returns jobs of the API key in pages of 1,000, in the reverse order of creation. Jobs are kept for 90 days after their end. The order stays stable while jobs are added.
     *
     * POST /v2/jobs/list
     */
    list(data?: types.JobsListRequest, options?: CallOptions): ListCall<types.JobsListResponse, types.Job>;
    /**
     * Cancels a pending migration, or a user data deletion whose verification has not begun.
     *
     * A migration can be canceled while it is `pending`, a user data deletion while its `phase` is null, `fencing` or `deleting`. The deletion keeps a receipt of what was and was not deleted. One that the deletion journal contains, or that runs again after a restore, cannot be canceled. Any other job, and one that has ended, fails with `FAILED_PRECONDITION`. A canceled job has the status `failed` and the error `cancelled`; a canceled migration emits `document.migration_failed`. An unknown job, or one of another API key, fails with `NOT_FOUND`. The audit log records the call.
     *
     * POST /v2/jobs/cancel
     */
    cancel(data: types.JobsCancelRequest, options?: WriteOptions): Promise<types.JobsCancelResponse>;
  };
  readonly usage: {
    /**
     * Lists the usage of the API key, by hour or by day.
     *
     * Returns periods in order of time. Periods without usage are omitted. Counts appear within 5 seconds; a crash of a process loses the counts since its last write, usually at most 4 seconds. Hours are kept for 48 hours and days for 400 days.
     *
     * POST /v2/usage/get
     */
    get(
      data?: types.UsageGetRequest,
      options?: CallOptions,
    ): ListCall<types.UsageGetResponse, types.UsagePeriod>;
  };
  readonly overview: {
    /**
     * Counts the jobs, open deletions and waiting deliveries of the API key.
     *
     * Counts are bounded, so that a large backlog does not slow the call: each field names its limit. A deletion of user data is late 12 hours after it was accepted.
     *
     * POST /v2/overview/get
     */
    get(data?: types.OverviewGetRequest, options?: CallOptions): Promise<types.OverviewGetResponse>;
  };
}
