import { sql } from 'kysely';
import type { CrdtReads } from '../../../domain/crdt/crdt-reads.ts';
import { DomainError, type ErrorStatus } from '../../../domain/errors.ts';
import {
  claimIdempotencyKey,
  storeResponse,
  type IdempotentRequest,
  type StoredResponse,
} from '../../../domain/idempotency/idempotency.ts';
import {
  afterCommit,
  forgetCommitActions,
  inTransaction,
  type EntityManager,
  type Orm,
} from '../../../platform/database/orm.ts';
import { retryConflicts } from '../../../platform/database/retry-conflicts.ts';
import { kyselyOf } from '../../../platform/database/statements.ts';
import type { KeyRing } from '../../../platform/encryption/key-ring.ts';
import type { PermissionProvider } from '../../../domain/permissions/provider/permission-provider.ts';
import type { WebhookProvider } from '../../../domain/webhooks/provider.ts';
import type { Outbound } from '../../../platform/outbound/outbound-connections.ts';
import type { StartableJob } from '../../../domain/jobs/job-kinds.ts';
import type { AnyResponse, Reply, ReplyOptions } from '../response/response-kind.ts';
import type { Rewriter } from '../../rewriter/rewriter.ts';
import type { Call, Credentials, Endpoint, Work } from '../endpoint.ts';
import { frameMessages } from '../messages.ts';
import { problemOf, problemBody } from '../response/problem.ts';
import { TransportError } from '../response/transport-error.ts';

/** What the frame of an API process works with. */
export interface Frame {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  readonly crdtReads: CrdtReads;
  readonly publicUrl: string;
  readonly permissionProvider: PermissionProvider;
  readonly rewriter: Rewriter;
  readonly webhooks: WebhookProvider;
  readonly outbound: Outbound;
  /** Starts a job's workflow in the background; never throws. */
  readonly startJob: (job: StartableJob) => void;
  /** Wakes the workflow of a webhook endpoint in the background; never throws. */
  readonly wakeEndpoint: Work['wakeEndpoint'];
  readonly workflowUrl: (workflowId: string) => string | null;
}

/** An answer as a handler gives it. */
export interface Responded extends StoredResponse {
  readonly headers?: Readonly<Record<string, string>>;
  /** Not to be kept for the call's Idempotency-Key. */
  readonly transient?: boolean;
}

export interface Executed extends Responded {
  /** The answer is one that was given before. */
  readonly replayed: boolean;
}

/** Refusals that are answers of the act itself: the same call would be refused again, so its key replays them. */
const storable: ReadonlySet<ErrorStatus> = new Set(['FAILED_PRECONDITION', 'NOT_FOUND', 'ALREADY_EXISTS']);

/** Whose call it is, beside what it asks for. */
export interface Execution {
  readonly idempotent: IdempotentRequest | undefined;
  readonly requestId: string;
}

/** Runs a mutating endpoint in one transaction, together with its idempotency key; then what was registered for after the commit. */
export async function executeMutation(
  frame: Frame,
  endpoint: Endpoint,
  call: Call<Credentials, unknown>,
  execution: Execution,
): Promise<Executed> {
  const { idempotent, requestId } = execution;
  return committed(frame, (em) => {
    const act = (): Promise<Responded> => run(frame, endpoint, call, em);
    return idempotent === undefined ? answered(act) : once(em, frame.keyRing, idempotent, requestId, act);
  });
}

async function answered(act: () => Promise<Responded>): Promise<Executed> {
  return { ...(await act()), replayed: false };
}

/** One transaction. A row that vanished or appeared between two statements is seen by the next attempt, which says so precisely. */
export const committed = async <Result>(
  { orm }: Pick<Frame, 'orm'>,
  act: (em: EntityManager) => Promise<Result>,
): Promise<Result> => retryConflicts(async () => inTransaction(orm, act), ['gone', 'duplicate']);

export function workOf(frame: Frame, em: EntityManager, idempotent?: IdempotentRequest): Work {
  return {
    em,
    idempotent,
    keyRing: frame.keyRing,
    crdtReads: frame.crdtReads,
    permissionProvider: frame.permissionProvider,
    rewriter: frame.rewriter,
    webhooks: frame.webhooks,
    outbound: frame.outbound,
    startJob: (job) => afterCommit(em, () => frame.startJob(job)),
    wakeEndpoint: (endpoint) => afterCommit(em, () => frame.wakeEndpoint(endpoint)),
    publicUrl: frame.publicUrl,
    workflowUrl: frame.workflowUrl,
    afterCommit: (action) => afterCommit(em, action),
  };
}

export async function run(
  frame: Frame,
  endpoint: Endpoint,
  call: Call<Credentials, unknown>,
  em: EntityManager,
): Promise<Responded> {
  const reply = await endpoint.handle(call, workOf(frame, em));
  await em.flush();
  return responseOf(endpoint, reply);
}

export async function responseOf(endpoint: Endpoint, reply: Reply<AnyResponse>): Promise<Responded> {
  const { response, paths } = endpoint;
  if ('read' in response) throw new Error(`${paths[0]} mutates and has a paged response.`);
  const { headers, transient } = reply as ReplyOptions;
  return {
    httpStatus: response.httpStatus,
    body: await response.write(reply, paths[0]),
    ...(headers && { headers }),
    ...(transient !== undefined && { transient }),
  };
}

async function once(
  em: EntityManager,
  keyRing: KeyRing,
  request: IdempotentRequest,
  requestId: string,
  act: () => Promise<Responded>,
): Promise<Executed> {
  const replay = await claimOrReplay(em, keyRing, request);
  if (replay !== undefined) return replay;
  const response: Responded = await orStorableRefusal(em, requestId, act);
  if (response.transient !== true) await storeResponse(em, keyRing, request, response);
  return { ...response, replayed: false };
}

/** Takes the key for this transaction, or answers what it was answered before; throws when the key is in other hands. */
export async function claimOrReplay(
  em: EntityManager,
  keyRing: KeyRing,
  request: IdempotentRequest,
): Promise<Executed | undefined> {
  const claim = await claimIdempotencyKey(em, keyRing, request);
  switch (claim.state) {
    case 'running':
      throw keyRunning();
    case 'other-request':
      throw new TransportError('INVALID_ARGUMENT', frameMessages.idempotencyKeyOtherBody, {
        httpStatus: 422,
      });
    case 'replay':
      return { ...claim.response, replayed: true };
    case 'fresh':
      return undefined;
  }
}

/** Another call holds the key. */
export const keyRunning = (): TransportError =>
  new TransportError('ABORTED', frameMessages.idempotencyKeyRunning, { headers: { 'Retry-After': '1' } });

/** Runs `act` behind a savepoint: a refusal that its key replays leaves nothing of the act, and becomes its answer. */
export async function orStorableRefusal<Result>(
  em: EntityManager,
  requestId: string,
  act: () => Promise<Result>,
): Promise<Result | StoredResponse> {
  await sql`savepoint act`.execute(kyselyOf(em));
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof DomainError) || !storable.has(error.status)) throw error;
    await sql`rollback to savepoint act`.execute(kyselyOf(em));
    em.clear();
    forgetCommitActions(em);
    const problem = problemOf(error);
    return { httpStatus: problem.httpStatus, body: problemBody(problem, requestId) };
  }
}
