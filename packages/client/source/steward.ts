import { connect, type Connection } from './connection.ts';
import { apiKeyOperations, operatorOperations, workspaceOperations } from './generated/operations.ts';
import type { ApiKeyOperations } from './generated/api-key.ts';
import type { OperatorOperations } from './generated/operator.ts';
import type { WorkspaceOperations } from './generated/workspace.ts';
import type { JobsGetResponse, UsersDataVerifyReceiptResponse } from './generated/types.ts';
import { waitForJob, type WaitOptions } from './jobs.ts';
import { methodsOf, type OperationTree } from './operation.ts';
import type {
  ApiKeyCredentials,
  CallOptions,
  ClientOptions,
  Credentials,
  OperatorCredentials,
  WorkspaceCredentials,
  WriteOptions,
} from './options.ts';
import { receipts, type Jwks, type VerifiedReceipt } from './receipts.ts';

export * from './errors.ts';
export type * from './generated/types.ts';
export type * from './generated/webhook-data.ts';
export type { ListCall, PagedCall } from './list-call.ts';
export type * from './options.ts';
export * from './receipts.ts';
export * from './webhooks.ts';
export { version } from './generated/version.ts';
export type { WaitOptions };

/** A job as `jobs.get` returns it. */
export type Job = JobsGetResponse['data'];

/** Calls that every client has. */
interface AnyPath {
  /**
   * Calls an operation by its path, for instance one that a newer server has. `writes`: whether it may change data, the
   * default; it then has an idempotency key, so that a retry does not repeat it.
   */
  request(
    path: string,
    data?: object,
    options?: WriteOptions & { readonly writes?: boolean },
  ): Promise<unknown>;
}

export interface VerifyReceiptOptions extends CallOptions {
  /** Default: the keys that the service publishes. */
  readonly jwks?: Jwks | undefined;
  /** The expected `iss`: STEWARD_PUBLIC_URL of the deployment. Not compared when absent. */
  readonly issuer?: string | undefined;
  /** Users to look up in the receipt, 1 to 1,000: the service compares their pseudonyms. */
  readonly userIds?: readonly string[] | undefined;
}

/** Client of an API key. */
export type ApiKeyClient = AnyPath &
  ApiKeyOperations & {
    readonly jobs: {
      /**
       * Reads a job until it has ended, and returns it; `status` shows how it ended. Without `signal` there is no time
       * limit. Throws what `jobs.get` throws.
       */
      wait(jobId: string, options?: WaitOptions<Job>): Promise<Job>;
    };
    readonly receipts: {
      /**
       * Verifies the receipt of a user data deletion of this API key, with the keys that the service publishes. Throws a
       * ReceiptVerificationError, or a StewardError.
       */
      verify(jws: string, options?: VerifyReceiptOptions): Promise<VerifiedReceipt>;
    };
  };

/** Client of a workspace. */
export type WorkspaceClient = AnyPath & WorkspaceOperations;

/** Client of an operator. */
export type OperatorClient = AnyPath & OperatorOperations;

/** Creates a client of one kind of credentials. It has the operations that these credentials may call. */
export function createClient(options: ClientOptions & ApiKeyCredentials): ApiKeyClient;
export function createClient(options: ClientOptions & WorkspaceCredentials): WorkspaceClient;
export function createClient(options: ClientOptions & OperatorCredentials): OperatorClient;
export function createClient(
  options: ClientOptions & Credentials,
): ApiKeyClient | WorkspaceClient | OperatorClient {
  const connection = connect(options);
  const client = {
    ...methodsOf(operationsOf(options), connection),
    request: (
      path: string,
      data?: object,
      { writes = true, ...rest }: WriteOptions & { readonly writes?: boolean } = {},
    ) => connection.call(path, writes, data, rest),
  };
  // Only the types know the data and the results of the operations.
  return 'apiKey' in options
    ? withCompositeCalls(client as unknown as ApiKeyOperations & AnyPath, connection, options.apiKey)
    : (client as unknown as WorkspaceClient | OperatorClient);
}

function operationsOf(credentials: Credentials): OperationTree {
  if ('operatorToken' in credentials) return operatorOperations;
  return 'workspaceId' in credentials ? workspaceOperations : apiKeyOperations;
}

function withCompositeCalls(
  client: ApiKeyOperations & AnyPath,
  connection: Connection,
  apiKey: string,
): ApiKeyClient {
  const { jobs, users } = client;
  return {
    ...client,
    jobs: {
      ...jobs,
      wait: (jobId, options = {}) =>
        waitForJob(
          async () => (await jobs.get({ jobId }, { signal: options.signal })).data,
          options,
          connection.signal,
        ),
    },
    receipts: {
      async verify(jws, { jwks, issuer, userIds, ...options } = {}) {
        const keys = jwks ?? (await connection.publishedKeys(options));
        const { claims } = await receipts.verify(jws, { jwks: keys, issuer, audience: apiKey });
        if (userIds === undefined) return { claims, covered: {} };
        const { data } = await users.data.verifyReceipt({ receipt: jws, userIds }, options);
        return { claims, covered: coveredOf(data) };
      },
    },
  };
}

const coveredOf = (users: UsersDataVerifyReceiptResponse['data']): Record<string, boolean> =>
  Object.fromEntries(Object.entries(users).map(([userId, { covered }]) => [userId, covered]));
