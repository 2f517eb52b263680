import { DomainError, type ErrorStatus } from '../../domain/errors.ts';
import { messages } from '../../domain/messages.ts';
import {
  claimIdempotencyKey,
  storeAnswer,
  type IdempotentRequest,
  type StoredAnswer,
} from '../../domain/idempotency/idempotency.ts';
import { classifyDatabaseError } from '../../platform/database/failures.ts';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import { rows } from '../../platform/database/sql.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import type { StartableJob } from '../../domain/jobs/job.entity.ts';
import type { Call, Credentials, Endpoint, Work } from './endpoint.ts';
import { problemBody } from './problem-body.ts';
import { problemOf, TransportError } from './problem.ts';
import { serialize } from './serialize.ts';

/** What the frame of an API process works with. */
export interface Frame {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  /** Starts a job's workflow in the background; never throws. */
  readonly startJob: (job: StartableJob) => void;
  readonly workflowUrl: (workflowId: string) => string | null;
}

export interface Executed extends StoredAnswer {
  /** The answer is one that was given before. */
  readonly replayed: boolean;
}

/** Refusals that are answers of the act itself: the same call would be refused again, so its key replays them. */
const storable: ReadonlySet<ErrorStatus> = new Set(['FAILED_PRECONDITION', 'NOT_FOUND', 'ALREADY_EXISTS']);

const conflictTries = 4;

/** Runs a mutating endpoint in one transaction, together with its idempotency key; then what was registered for after the commit. */
export async function executeMutation(
  frame: Frame,
  endpoint: Endpoint,
  call: Call<Credentials, unknown>,
  {
    idempotent,
    requestId,
  }: { readonly idempotent: IdempotentRequest | undefined; readonly requestId: string },
): Promise<Executed> {
  for (let attempt = 1; ; attempt += 1) {
    const after: (() => void)[] = [];
    try {
      const executed = await inTransaction(frame.orm, async (em) => {
        const act = (): Promise<StoredAnswer> => run(frame, endpoint, call, em, after);
        return idempotent === undefined
          ? { ...(await act()), replayed: false }
          : once(em, frame.keyRing, idempotent, requestId, act, after);
      });
      for (const action of after) action();
      return executed;
    } catch (error) {
      if (error instanceof DomainError || attempt === conflictTries || !worthAnotherTry(error)) throw error;
    }
  }
}

/** A row that vanished or appeared between two statements is seen by the next try, which then says so precisely. */
function worthAnotherTry(error: unknown): boolean {
  return ['conflict', 'gone', 'duplicate'].includes(classifyDatabaseError(error));
}

async function run(
  frame: Frame,
  endpoint: Endpoint,
  call: Call<Credentials, unknown>,
  em: EntityManager,
  after: (() => void)[],
): Promise<StoredAnswer> {
  const work: Work = {
    em,
    keyRing: frame.keyRing,
    workflowUrl: frame.workflowUrl,
    startJob: (job) => after.push(() => frame.startJob(job)),
    afterCommit: (action) => after.push(action),
  };
  const reply = await endpoint.handle(call, work);
  await em.flush();
  return { httpStatus: 200, body: serialize(endpoint, reply) };
}

async function once(
  em: EntityManager,
  keyRing: KeyRing,
  request: IdempotentRequest,
  requestId: string,
  act: () => Promise<StoredAnswer>,
  after: (() => void)[],
): Promise<Executed> {
  const claim = await claimIdempotencyKey(em, keyRing, request);
  if (claim.state === 'running') {
    throw new TransportError('ABORTED', messages.idempotencyKeyRunning, { headers: { 'Retry-After': '1' } });
  }
  if (claim.state === 'other-request') {
    throw new TransportError('INVALID_ARGUMENT', messages.idempotencyKeyOtherBody, { httpStatus: 422 });
  }
  if (claim.state === 'replay') return { ...claim.answer, replayed: true };
  await rows(em, 'savepoint act');
  let answer: StoredAnswer;
  try {
    answer = await act();
  } catch (error) {
    if (!(error instanceof DomainError) || !storable.has(error.status)) throw error;
    await rows(em, 'rollback to savepoint act');
    em.clear();
    after.length = 0;
    const problem = problemOf(error);
    answer = { httpStatus: problem.httpStatus, body: problemBody(problem, requestId) };
  }
  await storeAnswer(em, keyRing, request, answer);
  return { ...answer, replayed: false };
}
