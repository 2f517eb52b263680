import type { Actor } from '../../../domain/audit/record-entries.ts';
import type { IdempotentRequest } from '../../../domain/idempotency/idempotent-request.ts';
import { storeResponses } from '../../../domain/idempotency/stored-responses.ts';
import { inTransaction, type EntityManager } from '../../../platform/database/orm.ts';
import { retryConflicts } from '../../../platform/database/retry-conflicts.ts';
import type { Call, Credentials, WriteEndpoint } from '../endpoint.ts';
import type { AnyResponse, Reply, ReplyOptions } from '../response/response-kind.ts';
import { AuditTrail } from './audit-trail.ts';
import { recordCall } from './record-call.ts';
import { claimOrReplay, type Executed, type Responded } from './claimed-key.ts';
import { orStorableRefusal } from './storable-refusal.ts';
import { workOf, type HttpDependencies } from './work.ts';
import type { WriteRoom } from './write-room.ts';

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
  dependencies: HttpDependencies,
  endpoint: WriteEndpoint,
  call: Call<Credentials, unknown>,
  execution: Execution,
): Promise<Executed> {
  const { idempotent, requestId, room } = execution;
  const act = async (em: EntityManager): Promise<Executed> => {
    const handle = async (): Promise<Responded> => runHandler(dependencies, endpoint, call, execution, em);
    if (idempotent === undefined) return { ...(await handle()), replayed: false };
    const claimed = await claimOrReplay(em, dependencies.keyRing, idempotent);
    if ('replayed' in claimed) return claimed;
    const response: Responded = await orStorableRefusal(em, requestId, handle);
    if (response.transient !== true)
      await storeResponses(em, dependencies.keyRing, [{ key: claimed, response }]);
    return { ...response, replayed: false };
  };
  return room.within(async () => inRetriedTransaction(dependencies, act));
}

/** Runs one transaction. Retries it when a row vanishes or appears between two statements: the retry sees the row's state. */
export const inRetriedTransaction = async <Result>(
  { orm }: Pick<HttpDependencies, 'orm'>,
  act: (em: EntityManager) => Promise<Result>,
): Promise<Result> => retryConflicts(async () => inTransaction(orm, act), ['gone', 'duplicate']);

/** Runs the handler in the transaction of `em`, and records the call where the endpoint has `audit`. */
export async function runHandler(
  dependencies: HttpDependencies,
  endpoint: WriteEndpoint,
  call: Call<Credentials, unknown>,
  { actor, room }: Pick<Execution, 'actor' | 'room'>,
  em: EntityManager,
): Promise<Responded> {
  const trail = new AuditTrail();
  const reply = await endpoint.handle(call, workOf(dependencies, em, { audit: trail }));
  const { audit } = endpoint;
  if (audit !== undefined && actor !== undefined) {
    // The statement of the entry reads rows that the handler may have created as entities.
    await em.flush();
    await recordCall(em, dependencies.keyRing, { audit, call, actor }, trail);
  }
  return responseOf(endpoint, reply, room);
}

/** Returns the response to a call whose transaction has not committed. Throws NoRoom when the response has no room. */
export async function responseOf(
  endpoint: WriteEndpoint,
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
