import type { Context } from 'koa';
import { invalidMember } from '../../domain/errors.ts';
import { idempotentRequest, type IdempotentRequest } from '../../domain/idempotency/idempotency.ts';
import { admitRequest, type Admission } from './admit-request.ts';
import { answerRead } from './answer-read.ts';
import { ownerOf, type Authenticated } from './authenticate.ts';
import { checkContentHeaders } from './content-headers.ts';
import type { Cursors } from './cursor.ts';
import type { Call, Credentials, Endpoint } from './endpoint.ts';
import { executeOutside } from './execute-outside.ts';
import { executeMutation, type Executed, type Frame } from './execute.ts';
import { isGrouped, type GroupCommit } from './group-commit.ts';
import { ignoredMembers } from './ignored-members.ts';
import { requestData, type SentData } from './parse-json.ts';
import type { ReadBudget } from './read-budget.ts';
import { freeBody } from './receive-body.ts';
import { validate } from './validate.ts';

/** Everything that stands between a socket and a handler. */
export interface Gateway extends Frame, Admission {
  /** Read at the first list: the API starts while the database is away. */
  readonly cursors: () => Promise<Cursors>;
  /** Keys the hashes of idempotent requests; read at the first of them. */
  readonly idempotencySecret: () => Promise<Buffer>;
  readonly groupCommit: GroupCommit;
  readonly readBudget: ReadBudget;
}

/** Size, credentials, rate, JSON, shape, then the act: in the order that the wire promises. */
export async function answerEndpoint(
  gateway: Gateway,
  endpoint: Endpoint,
  path: string,
  context: Context,
): Promise<void> {
  const { authenticated, body } = await admitRequest(gateway, endpoint, context);
  const bytes = body.length;
  const { data: sent, large } = await sentData(body, context);
  const idempotent = endpoint.mutates
    ? await idempotencyOf(gateway, context, authenticated, { path, data: sent })
    : undefined;
  const version = path.startsWith('/v1/') ? 1 : 2;
  const { data, ignored } = await validate(endpoint.data, sent, { passOverUnknown: version === 1, large });
  if (ignored.length > 0) context.set('X-Ignored-Members', ignoredMembers(ignored));
  const call = { ...authenticated.caller, data, path, version } as Call<Credentials, unknown>;
  context.type = 'application/json; charset=utf-8';
  if (endpoint.mutates)
    await mutate(gateway, endpoint, call, { idempotent, bytes, owner: ownerOf(authenticated) }, context);
  else await answerRead(gateway, endpoint, call, authenticated, context);
}

/** The body is gone afterwards: what was made of it lives on alone. */
async function sentData(body: Buffer, { headers }: Context): Promise<SentData> {
  try {
    if (body.length > 0) checkContentHeaders(headers);
    return await requestData(body);
  } finally {
    freeBody(body);
  }
}

const idempotencyKeyForm = /^[!-~]{1,255}$/;

async function idempotencyOf(
  { idempotencySecret }: Gateway,
  context: Context,
  { scope }: Authenticated,
  request: { readonly path: string; readonly data: unknown },
): Promise<IdempotentRequest | undefined> {
  const key = context.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !idempotencyKeyForm.test(key)) {
    throw invalidMember('', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
  return idempotentRequest(await idempotencySecret(), scope, { ...request, key });
}

async function mutate(
  gateway: Gateway,
  endpoint: Endpoint,
  call: Call<Credentials, unknown>,
  sent: Sent,
  context: Context,
): Promise<void> {
  const executed = await execute(gateway, endpoint, call, sent, context);
  if (executed.headers !== undefined) context.set(executed.headers);
  if (executed.replayed) {
    context.set('Idempotent-Replayed', 'true');
    context.state['replayed'] = true;
  }
  context.status = executed.httpStatus;
  context.body = executed.body;
  chargeLarge(gateway, sent.owner, context, executed.body);
}

/** Bytes of a response to a write that count as held until they are sent. */
const largeBody = 65_536;

function chargeLarge({ readBudget }: Gateway, owner: string, { res }: Context, body: string): void {
  if (body.length > largeBody) readBudget.chargeOf(owner, res).keep(Buffer.byteLength(body));
}

/** What decides, beside the call itself, how it is run. */
interface Sent {
  readonly idempotent: IdempotentRequest | undefined;
  /** Of the body. */
  readonly bytes: number;
  /** Whose budgets it counts against. */
  readonly owner: string;
}

async function execute(
  gateway: Gateway,
  endpoint: Endpoint,
  call: Call<Credentials, unknown>,
  { idempotent, bytes }: Sent,
  context: Context,
): Promise<Executed> {
  const execution = { idempotent, requestId: String(context.state['requestId']) };
  const { outside } = endpoint;
  if (outside !== undefined && outside.needed?.(call, gateway) !== false)
    return executeOutside(gateway, { ...endpoint, outside }, call, execution, callerGone(context));
  const alone = async (): Promise<Executed> => executeMutation(gateway, endpoint, call, execution);
  return isGrouped(endpoint) && idempotent === undefined && 'tenant' in call
    ? gateway.groupCommit.execute(gateway, endpoint, call, { bytes, alone })
    : alone();
}

/** Aborts when the connection closes before the answer has been written. */
function callerGone({ res }: Context): AbortSignal {
  const gone = new AbortController();
  if (res.closed) gone.abort();
  res.once('close', () => {
    if (!res.writableFinished) gone.abort();
  });
  return gone.signal;
}
