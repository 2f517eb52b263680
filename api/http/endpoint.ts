import type { z } from 'zod';
import type { ErrorStatus } from '../../domain/errors.ts';
import type { OperatorCaller, OperatorScope } from '../../domain/tenancy/operator-scopes.ts';
import type { CallingTenant } from '../../domain/tenancy/tenant.ts';
import type { WorkspaceCaller } from '../../domain/credentials/authenticate.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import type { IdempotentRequest } from '../../domain/idempotency/idempotent-request.ts';
import type { StartableJob } from '../../domain/jobs/job-kinds.ts';
import type { Audit, AuditTrail } from './act/audit-trail.ts';
import type { AnyResponse, Reply } from './response/response-kind.ts';
import type { Services } from './services.ts';

/** The credentials that an operation requires. `operator` is an operator token; see `operatorScope`. */
export type Credentials = 'apiKey' | 'workspace' | 'operator';

interface Callers {
  readonly apiKey: { readonly tenant: CallingTenant };
  readonly workspace: { readonly workspace: WorkspaceCaller };
  readonly operator: { readonly operator: OperatorCaller };
}

/** The authenticated caller of an operation. */
export type Caller = Callers[Credentials];

/** The input of a handler: the authenticated caller and the validated data. */
export type Call<Kind extends Credentials, Data> = Callers[Kind] & {
  readonly data: Data;
  readonly path: string;
  readonly version: 1 | 2;
  readonly requestId: string;
  /** W3C trace context of its span; undefined where tracing is off. */
  readonly traceparent?: string | undefined;
};

/** Dependencies of a reading handler. It must fork `em`, which has no transaction, to load entities. */
export interface ReadWork extends Services {
  readonly em: EntityManager;
  readonly keyRing: KeyRing;
}

/** Dependencies of a mutating handler. `em` is in its one transaction. */
export interface Work extends ReadWork {
  /** Identifies the request by its Idempotency-Key. Undefined without a key. */
  readonly idempotent: IdempotentRequest | undefined;
  /** Starts the job's workflow after the commit, without delaying the response. The sweep repeats a start that fails. */
  readonly startJob: (job: StartableJob) => void;
  /** Wakes the delivery workflow of a webhook endpoint after the commit. Takes public ids. */
  readonly wakeEndpoint: (endpoint: { readonly keyId: string; readonly endpointId: string }) => void;
  /** Adds to the audit entry of the call; see `EndpointDefinition.audit`. */
  readonly audit: AuditTrail;
}

/** One path, or the `/v1` and `/v2` twins of one operation. */
export type Paths = readonly [string, ...string[]];

/** The definition of an operation; see `endpoint`. */
export interface EndpointDefinition<
  Kind extends Credentials,
  Data extends z.ZodType,
  Response extends AnyResponse,
  RoutePaths extends Paths = Paths,
  Mutates extends boolean = boolean,
> {
  /** Operations on `/v1` ignore unknown members; operations on `/v2` reject them. */
  readonly paths: RoutePaths;
  readonly credentials: Kind;
  /** The scope that an operator token needs. Required for operations of operators. */
  readonly operatorScope?: OperatorScope;
  /** True for operations that run in one transaction and accept `Idempotency-Key`. */
  readonly mutates: Mutates;
  /**
   * True for an operation of operators that waits like customers' calls until the deletions of the journal have run again
   * after a restore. Defaults to false.
   */
  readonly waitsForRestore?: boolean;
  /** One line that begins with a verb in the present tense: "Returns …". */
  readonly summary: string;
  /** Behavior, limits, events, idempotency and unknown ids. It does not repeat `summary` or the schemas. */
  readonly description: string;
  readonly data: Data;
  readonly response: Response;
  /** Error statuses beyond those that `declaredFailures` adds to every operation. */
  readonly errors: readonly ErrorStatus[];
  /** Defaults to 1. */
  readonly maxBodyMebibytes?: number;
  /**
   * Bytes that a read reserves before it runs, where they depend on the request as a function of the call. Required for a
   * response beyond 64 KiB that is not a list.
   */
  readonly maxResponseBytes?: number | ((call: Call<Kind, z.output<Data>>) => number);
  /**
   * Required for administrative operations and exports. The entry of a mutation is written in its transaction, that of an
   * export before its first page. Refusals with PERMISSION_DENIED have entries too.
   */
  readonly audit?: Audit<Call<Kind, z.output<Data>>>;
  /** A complete `data`, which the API reference shows and the tests send. */
  readonly example: z.input<Data>;
  handle(
    call: Call<Kind, z.output<Data>>,
    work: [Mutates] extends [false] ? ReadWork : Work,
  ): Promise<Reply<Response>>;
}

/**
 * Steps of an operation that calls another server before it responds, or that must commit something before its
 * transaction. `prepare` commits together with the claim of the idempotency key. `reach` calls the server without a
 * database connection. `handle` stores the response in a second transaction. If the process crashes in between, the
 * claim expires 15 s (`leaseMarginMs`) after `limitMs`.
 */
export interface OutsideSteps<Request, Prepared, Outcome> {
  /** Max duration of `reach`; its signal then aborts. */
  readonly limitMs: number;
  /** Returns whether a call needs `reach`. Other calls run in one transaction, without an outcome. Defaults to true. */
  needed?(call: Request, services: Pick<Services, 'webhooks'>): boolean;
  /** Aborts `reach` when the caller disconnects and sent no Idempotency-Key: nothing can read the response any more. */
  readonly abortsWithCaller?: boolean;
  prepare(call: Request, work: Work): Promise<Prepared>;
  reach(prepared: Prepared, signal: AbortSignal, access: OutsideAccess): Promise<Outcome>;
}

/** The access of `reach` to the installation. */
export interface OutsideAccess {
  /** For statements outside of transactions. */
  readonly em: EntityManager;
  /** Waits until the call may hold these bytes until its end. Rejects with UNAVAILABLE when there is no room. */
  readonly reserve: (bytes: number) => Promise<void>;
  /** Whether the call ends after a StalePreparation, instead of being prepared again. */
  readonly isLast: boolean;
}

/** How calls of one key share a transaction; see `groupedEndpoint`. */
export interface Grouping<Request, Replied> {
  /** Only calls of the same lane share a transaction. A call without a lane runs alone. Defaults to one lane. */
  laneOf?(this: void, call: Request): string | undefined;
  handleTogether(
    this: void,
    calls: readonly [Request, ...Request[]],
    work: Work,
  ): Promise<readonly Replied[]>;
}

type Described = Omit<EndpointDefinition<Credentials, z.ZodType, AnyResponse>, 'handle' | 'mutates'>;

export interface ReadEndpoint extends Described {
  readonly mutates: false;
  handle(call: Call<Credentials, unknown>, work: ReadWork): Promise<Reply<AnyResponse>>;
}

export interface WriteEndpoint extends Described {
  readonly mutates: true;
  readonly outside?: OutsideSteps<Call<Credentials, unknown>, unknown, unknown>;
  readonly grouping?: Grouping<Call<'apiKey', unknown>, Reply<AnyResponse>>;
  handle(call: Call<Credentials, unknown>, work: Work): Promise<Reply<AnyResponse>>;
}

/** An operation as the middleware, the API reference, the client and the tests read it. */
export type Endpoint = ReadEndpoint | WriteEndpoint;

/** An operation with the types of its request and response. The client is derived from them. */
export type DeclaredEndpoint<
  Kind extends Credentials,
  Data extends z.ZodType,
  Response extends AnyResponse,
  RoutePaths extends Paths,
  Mutates extends boolean,
> = ([Mutates] extends [false] ? ReadEndpoint : WriteEndpoint) & {
  readonly credentials: Kind;
  readonly data: Data;
  readonly response: Response;
  readonly paths: RoutePaths;
  readonly mutates: Mutates;
  readonly example: z.input<Data>;
};

type RequiredScope<Kind extends Credentials> = Kind extends 'operator'
  ? { readonly operatorScope: OperatorScope }
  : object;

/**
 * Returns the definition, type-checked: the reply of `handle` must fit `response`. The result does not have the type of
 * the call: the middleware validates each call by the endpoint's own schema and credentials.
 */
export function endpoint<
  Kind extends Credentials,
  Data extends z.ZodType,
  Response extends AnyResponse,
  const RoutePaths extends Paths,
  const Mutates extends boolean,
>(
  definition: EndpointDefinition<Kind, Data, Response, RoutePaths, Mutates> & RequiredScope<Kind>,
): DeclaredEndpoint<Kind, Data, Response, RoutePaths, Mutates> {
  return definition as unknown as DeclaredEndpoint<Kind, Data, Response, RoutePaths, Mutates>;
}

/** The `/v1` and `/v2` paths of one operation. */
export function bothVersions<const Operation extends string>(
  operation: Operation,
): readonly [`/v1/${Operation}`, `/v2/${Operation}`] {
  return [`/v1/${operation}`, `/v2/${operation}`];
}
