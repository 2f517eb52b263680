import { sql } from 'kysely';
import { DomainError, type ErrorStatus } from '../../../domain/errors.ts';
import type { StoredResponse } from '../../../domain/idempotency/stored-responses.ts';
import { forgetCommitActions, type EntityManager } from '../../../platform/database/orm.ts';
import { kyselyOf } from '../../../platform/database/statements.ts';
import { problemBody, problemOf } from '../response/problem.ts';
import { statuses } from '../response/statuses.ts';

/** Refusals by the handler that a retry would get again. They are stored for the Idempotency-Key and replayed. */
const storable: ReadonlySet<ErrorStatus> = new Set(['FAILED_PRECONDITION', 'NOT_FOUND', 'ALREADY_EXISTS']);

const storableByHttp = new Map([...storable].map((status) => [statuses[status].http as number, status]));

/** The error status of a response that `orStorableRefusal` made, now or for the first call; undefined for a success. */
export const refusalOf = (httpStatus: number): ErrorStatus | undefined => storableByHttp.get(httpStatus);

/** Whether an error is a refusal that a retry would get again. */
export const isStorable = (error: unknown): error is DomainError =>
  error instanceof DomainError && storable.has(error.status);

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
    if (!isStorable(error)) throw error;
    await sql`rollback to savepoint act`.execute(kyselyOf(em));
    em.clear();
    forgetCommitActions(em);
    const problem = problemOf(error);
    return { code: problem.httpStatus, body: problemBody(problem, requestId) };
  }
}
