import { sql } from 'kysely';
import { DomainError, type ErrorStatus } from '../../../domain/errors.ts';
import { claimIdempotencyKeys, type Claim } from '../../../domain/idempotency/claim-keys.ts';
import type { IdempotentRequest } from '../../../domain/idempotency/idempotent-request.ts';
import type { ClaimedKey } from '../../../domain/idempotency/key-rows.ts';
import { storeResponses, type StoredResponse } from '../../../domain/idempotency/stored-responses.ts';
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
import type { StartableJob } from '../../../domain/jobs/job-kinds.ts';
import type { Actor } from '../../../domain/audit/record-entries.ts';
import type { AnyResponse, Reply, ReplyOptions } from '../response/response-kind.ts';
import type { Call, Credentials, Endpoint, Work } from '../endpoint.ts';
import { frameMessages } from '../messages.ts';
import { problemOf, problemBody } from '../response/problem.ts';
import { statuses } from '../response/statuses.ts';
import { TransportError } from '../response/transport-error.ts';
import type { Services } from '../services.ts';
import { AuditTrail, recordCall } from './audit-trail.ts';
import type { WriteRoom } from './write-room.ts';

/** Dependencies of the HTTP layer of an API process. */
export interface Frame extends Services {
  readonly orm: Orm;
  /** Starts a job's workflow in the background; never throws. */
  readonly startJob: (job: StartableJob) => void;
  /** Wakes the workflow of a webhook endpoint in the background; never throws. */
  readonly wakeEndpoint: Work['wakeEndpoint'];
}

/** The response of a handler. Its `code` is the HTTP status. */
export interface Responded extends StoredResponse {
  readonly headers?: Readonly<Record<string, string>>;
  /** The response is not stored for the Idempotency-Key. */
  readonly transient?: boolean;
}

export interface Executed extends Responded {
  /** The response is a replay of an earlier one. */
  readonly replayed: boolean;
  /** The key of a replayed response that is too large to have been read with it; `body` is empty. */
  readonly unread?: ClaimedKey;
}

/** Refusals by the handler that a retry would get again. They are stored for the Idempotency-Key and replayed. */
const storable: ReadonlySet<ErrorStatus> = new Set(['FAILED_PRECONDITION', 'NOT_FOUND', 'ALREADY_EXISTS']);

/** The error status of a response that `orStorableRefusal` made, now or for the first call; undefined for a success. */
export const refusalOf = (httpStatus: number): ErrorStatus | undefined => storableByHttp.get(httpStatus);

const storableByHttp = new Map([...storable].map((status) => [statuses[status].http as number, status]));

/** Identity of the request beside its call. */
export interface Execution {
  readonly idempotent: IdempotentRequest | undefined;
  readonly requestId: string;
  /** Undefined for endpoints without `audit`. */
  readonly actor: Actor | undefined;
  /** The room of the response. */
  readonly room: WriteRoom;
}

/** Runs a mutating endpoint and stores its idempotency key in one transaction, then runs the after-commit actions. */
export async function executeMutation(
  frame: Frame,
  endpoint: Endpoint,
  call: Call<Credentials, unknown>,
  execution: Execution,
): Promise<Executed> {
  const { idempotent, requestId, room } = execution;
  const act = async (em: EntityManager): Promise<Executed> => {
    const handle = (): Promise<Responded> => run(frame, endpoint, call, execution, em);
    return idempotent === undefined
      ? withoutKey(handle)
      : withKey(em, frame.keyRing, idempotent, requestId, handle);
  };
  return room.within(async () => committed(frame, act));
}

async function withoutKey(handle: () => Promise<Responded>): Promise<Executed> {
  return { ...(await handle()), replayed: false };
}

/** Runs one transaction. Retries it when a row vanishes or appears between two statements: the retry sees the row's state. */
export const committed = async <Result>(
  { orm }: Pick<Frame, 'orm'>,
  act: (em: EntityManager) => Promise<Result>,
): Promise<Result> => retryConflicts(async () => inTransaction(orm, act), ['gone', 'duplicate']);

export function workOf(
  frame: Frame,
  em: EntityManager,
  { idempotent, audit = new AuditTrail() }: Partial<Pick<Work, 'idempotent' | 'audit'>> = {},
): Work {
  return {
    em,
    idempotent,
    audit,
    keyRing: frame.keyRing,
    crdtReads: frame.crdtReads,
    permissionProvider: frame.permissionProvider,
    rewriter: frame.rewriter,
    concurrentCalls: frame.concurrentCalls,
    webhooks: frame.webhooks,
    outbound: frame.outbound,
    startJob: (job) => afterCommit(em, () => frame.startJob(job)),
    wakeEndpoint: (endpoint) => afterCommit(em, () => frame.wakeEndpoint(endpoint)),
    publicUrl: frame.publicUrl,
    messaging: frame.messaging,
    senders: frame.senders,
    workflowUrl: frame.workflowUrl,
    afterCommit: (action) => afterCommit(em, action),
  };
}

export async function run(
  frame: Frame,
  endpoint: Endpoint,
  call: Call<Credentials, unknown>,
  { actor, room }: Pick<Execution, 'actor' | 'room'>,
  em: EntityManager,
): Promise<Responded> {
  const trail = new AuditTrail();
  const reply = await endpoint.handle(call, workOf(frame, em, { audit: trail }));
  const { audit } = endpoint;
  if (audit !== undefined && actor !== undefined) {
    // The statement of the entry reads rows that the handler may have created as entities.
    await em.flush();
    await recordCall(em, frame.keyRing, { audit, call, actor }, trail);
  }
  return responseOf(endpoint, reply, room);
}

/** Returns the response to a call whose transaction has not committed. Throws NoRoom when the response has no room. */
export async function responseOf(
  endpoint: Endpoint,
  reply: Reply<AnyResponse>,
  room: WriteRoom,
): Promise<Responded> {
  const { response, paths } = endpoint;
  if ('read' in response) throw new Error(`paged response of mutating endpoint ${paths[0]}`);
  const { headers, transient } = reply as ReplyOptions;
  const body = await response.write(reply, paths[0]);
  room.admit(body);
  return {
    code: response.httpStatus,
    body,
    ...(headers && { headers }),
    ...(transient !== undefined && { transient }),
  };
}

async function withKey(
  em: EntityManager,
  keyRing: KeyRing,
  request: IdempotentRequest,
  requestId: string,
  act: () => Promise<Responded>,
): Promise<Executed> {
  const claimed = await claimOrReplay(em, keyRing, request);
  if ('replayed' in claimed) return claimed;
  const response: Responded = await orStorableRefusal(em, requestId, act);
  if (response.transient !== true) await storeResponses(em, keyRing, [{ key: claimed, response }]);
  return { ...response, replayed: false };
}

/** Claims the key for this transaction, or returns its stored response. Throws while another call holds the key. */
export async function claimOrReplay(
  em: EntityManager,
  keyRing: KeyRing,
  request: IdempotentRequest,
): Promise<Executed | ClaimedKey> {
  const [claim] = await claimIdempotencyKeys(em, keyRing, [request]);
  if (claim === undefined) throw new Error('missing claim of an idempotency key');
  return keyOrReplay(claim);
}

/** Returns the claimed key or its stored response. Throws while another call holds the key. */
export function keyOrReplay(claim: Claim): Executed | ClaimedKey {
  switch (claim.state) {
    case 'running':
      throw keyRunning();
    case 'other-request':
      throw new TransportError('INVALID_ARGUMENT', frameMessages.idempotencyKeyOtherBody, {
        httpStatus: 422,
      });
    case 'replay':
      return { ...claim.response, replayed: true };
    case 'large-replay':
      return { code: claim.code, body: '', replayed: true, unread: claim.key };
    case 'fresh':
      return claim.key;
  }
}

/** Refusal of a call whose key another call holds. */
export const keyRunning = (): TransportError =>
  new TransportError('ABORTED', frameMessages.idempotencyKeyRunning, { headers: { 'Retry-After': '1' } });

/** Runs `act` after a savepoint. A storable refusal rolls back its writes and becomes the response. */
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
    return { code: problem.httpStatus, body: problemBody(problem, requestId) };
  }
}
