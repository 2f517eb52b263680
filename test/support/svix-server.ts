import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const svixToken = 'testsk_of_the_tests.eu';

interface StoredEndpoint {
  readonly id: string;
  secret: string;
  members: Record<string, unknown>;
}

interface StoredMessage {
  readonly id: string;
  readonly eventId: string | null;
  readonly eventType: string;
  readonly payload: unknown;
  readonly channels: readonly string[] | null;
  readonly timestamp: string;
}

interface Application {
  readonly id: string;
  readonly uid: string;
  readonly endpoints: StoredEndpoint[];
  readonly messages: StoredMessage[];
}

export interface SvixCall {
  readonly method: string;
  readonly path: string;
  /** Max items of the page that it asks for. */
  readonly limit: string | null;
  readonly idempotencyKey: string | undefined;
  readonly body: unknown;
}

/** A local server with the subset of Svix's API that Steward uses. */
export interface SvixServer {
  /** Variables with which an API and a worker use it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly calls: readonly SvixCall[];
  readonly applications: ReadonlyMap<string, Application>;
  /** Makes every later call return this status; undefined ends this. */
  failWith(status: number | undefined): void;
  /** Processes the next call, and closes its connection instead of responding. */
  loseNextResponse(): void;
  /** Makes every later call hang without a response, until `false`. Calls that hang then continue to hang. */
  hang(hanging: boolean): void;
  readonly close: () => Promise<void>;
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number) {
    super(String(status));
    this.status = status;
  }
}

const newId = (prefix: string): string => `${prefix}_${randomBytes(16).toString('hex')}`;

export async function aSvixServer(): Promise<SvixServer> {
  const calls: SvixCall[] = [];
  const applications = new Map<string, Application>();
  let failure: number | undefined;
  let hanging = false;
  let losing = false;
  /** Successful responses by idempotency key, which Svix repeats. */
  const responses = new Map<string, unknown>();
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const url = new URL(request.url ?? '', 'http://svix');
      const idempotencyKey = request.headers['idempotency-key'] as string | undefined;
      const limit = url.searchParams.get('limit');
      calls.push({ method: request.method ?? '', path: url.pathname, limit, idempotencyKey, body });
      if (hanging) return;
      try {
        if (request.headers.authorization !== `Bearer ${svixToken}`) throw new Refusal(401);
        if (failure !== undefined) throw new Refusal(failure);
        const repeated = `${url.pathname} ${idempotencyKey ?? ''}`;
        const members = body as Record<string, unknown>;
        const result = responses.get(repeated) ?? route(applications, request.method ?? '', url, members);
        if (idempotencyKey !== undefined) responses.set(repeated, result);
        if (losing) request.socket.destroy();
        else respond(response, 200, result);
        losing = false;
      } catch (error) {
        const status = error instanceof Refusal ? error.status : 500;
        respond(response, status, { code: 'error', detail: `of ${url.pathname}: ${JSON.stringify(body)}` });
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    environment: {
      STEWARD_WEBHOOK_PROVIDER: 'svix',
      SVIX_TOKEN: svixToken,
      SVIX_SERVER_URL: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    },
    calls,
    applications,
    failWith: (status) => {
      failure = status;
    },
    loseNextResponse: () => {
      losing = true;
    },
    hang: (now) => {
      hanging = now;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : (JSON.parse(text) as unknown);
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  const empty = body === undefined;
  response.writeHead(empty ? 204 : status, { 'content-type': 'application/json' });
  response.end(empty ? undefined : JSON.stringify(body));
}

type Applications = Map<string, Application>;

function route(applications: Applications, method: string, url: URL, body: Record<string, unknown>): unknown {
  const [, , , , name, rest, id, what] = url.pathname.split('/');
  if (name === undefined) return madeApplication(applications, body, url);
  const application = applications.get(name);
  if (application === undefined) throw new Refusal(404);
  if (rest === 'msg') {
    if (id === undefined) return madeMessage(application, body);
    return onMessage(application, id, url, method);
  }
  if (rest === 'attempt') return attempts(application, url);
  if (rest !== 'endpoint') throw new Refusal(404);
  if (id === undefined) {
    return method === 'POST' ? madeEndpoint(application, body) : endpointsOf(application, url);
  }
  return what === 'msg' ? messagesOf(application, id, url) : onEndpoint(application, id, what, method, body);
}

function madeApplication(applications: Applications, body: Record<string, unknown>, url: URL): unknown {
  const uid = String(body['uid']);
  const present = applications.get(uid);
  if (present !== undefined && url.searchParams.get('get_if_exists') !== 'true') throw new Refusal(409);
  const made = present ?? { id: newId('app'), uid, endpoints: [], messages: [] };
  applications.set(uid, made);
  const now = new Date().toISOString();
  return { id: made.id, uid, name: body['name'], createdAt: now, updatedAt: now, metadata: {} };
}

/** Svix's form of an event type. */
const typeForm = /^[A-Za-z0-9_.-]{1,256}$/;

function refuseOtherTypes(types: unknown): void {
  for (const type of Array.isArray(types) ? types : [])
    if (!typeForm.test(String(type))) throw new Refusal(422);
}

function madeEndpoint(application: Application, body: Record<string, unknown>): unknown {
  refuseOtherTypes(body['eventTypes']);
  const taken = application.endpoints.some(({ members }) => body['uid'] && members['uid'] === body['uid']);
  if (taken) throw new Refusal(409);
  const now = new Date().toISOString();
  const members = { description: '', metadata: {}, disabled: false, ...body, createdAt: now, updatedAt: now };
  const made = { id: newId('ep'), secret: `whsec_${randomBytes(24).toString('base64')}`, members };
  application.endpoints.push(made);
  return { id: made.id, ...members };
}

/** Like Svix, returns both iterators of every page with items; `done` is that of the direction of the request. */
function pageOf<Item extends { readonly id: string }>(all: readonly Item[], { searchParams }: URL) {
  const limit = Number(searchParams.get('limit') ?? '50');
  const iterator = searchParams.get('iterator');
  const backward = iterator?.startsWith('-') === true;
  const position = all.findIndex(({ id }) => id === iterator?.replace(/^-/, ''));
  const candidates = backward ? all.slice(0, position) : all.slice(position + 1);
  const page = backward ? candidates.slice(-limit) : candidates.slice(0, limit);
  const [first] = page;
  return {
    data: page,
    iterator: page.at(-1)?.id ?? null,
    prevIterator: first === undefined ? null : `-${first.id}`,
    done: candidates.length <= limit,
  };
}

const endpointsOf = ({ endpoints }: Application, url: URL): unknown =>
  pageOf(
    endpoints.map(({ id, members }) => ({ id, ...members })),
    url,
  );

function onEndpoint(
  application: Application,
  id: string,
  what: string | undefined,
  method: string,
  body: Record<string, unknown>,
): unknown {
  const endpoint = application.endpoints.find((one) => one.id === id);
  if (endpoint === undefined) throw new Refusal(404);
  if (what === 'secret') {
    if (method === 'GET') return { key: endpoint.secret };
    endpoint.secret = `whsec_${randomBytes(24).toString('base64')}`;
    return undefined;
  }
  if (what === 'recover')
    return { id: newId('qtask'), status: 'running', task: 'endpoint.recover', updatedAt: 0 };
  if (what === 'stats') return { success: 3, pending: 1, sending: 1, fail: 2, canceled: 0 };
  if (what === 'send-example') return madeMessage(application, { eventType: body['eventType'], payload: {} });
  if (method === 'DELETE') {
    application.endpoints.splice(application.endpoints.indexOf(endpoint), 1);
    return undefined;
  }
  if (method === 'PATCH') {
    refuseOtherTypes(body['eventTypes']);
    endpoint.members = { ...endpoint.members, ...body, updatedAt: new Date().toISOString() };
  }
  return { id, ...endpoint.members };
}

/** Status 0: every message has succeeded. */
function messagesOf({ endpoints, messages }: Application, id: string, url: URL): unknown {
  const { searchParams } = url;
  if (!endpoints.some((one) => one.id === id)) throw new Refusal(404);
  const parameter = (name: string): string | undefined => searchParams.get(name) ?? undefined;
  const types = searchParams.getAll('event_types').flatMap((names) => names.split(','));
  const [status = '0', channel, after = '', before = '9999'] = ['status', 'channel', 'after', 'before'].map(
    parameter,
  );
  const data = messages
    .filter(
      ({ eventType, channels, timestamp }) =>
        status === '0' &&
        (types.length === 0 || types.includes(eventType)) &&
        (channel === undefined || channels?.includes(channel) === true) &&
        timestamp >= after &&
        timestamp < before,
    )
    .map((message) => ({ ...message, status: 0, statusText: 'success' }));
  return pageOf(data, url);
}

function madeMessage(application: Application, body: Record<string, unknown>): unknown {
  refuseOtherTypes([body['eventType']]);
  const eventId = (body['eventId'] as string | undefined) ?? null;
  if (eventId !== null && application.messages.some((message) => message.eventId === eventId)) {
    throw new Refusal(409);
  }
  const message = {
    id: newId('msg'),
    eventId,
    eventType: String(body['eventType']),
    payload: body['payload'],
    channels: (body['channels'] as string[] | undefined) ?? null,
    timestamp: new Date().toISOString(),
  };
  application.messages.push(message);
  return message;
}

const attemptOf = (application: Application, message: StoredMessage) => ({
  id: `atmpt_${message.id}`,
  url: 'https://hooks.example.com',
  response: 'x'.repeat(2_000),
  responseStatusCode: 200,
  responseDurationMs: 12.4,
  status: 0,
  statusText: 'success',
  triggerType: 1,
  msgId: message.id,
  endpointId: application.endpoints[0]?.id ?? '',
  timestamp: message.timestamp,
  msg: message,
});

function onMessage(application: Application, id: string, { pathname }: URL, method: string): unknown {
  const message = application.messages.find((one) => one.id === id || one.eventId === id);
  if (message === undefined) throw new Refusal(404);
  if (pathname.endsWith('/resend')) return method === 'POST' ? {} : undefined;
  if (!pathname.endsWith('/endpoint')) return message;
  const data = application.endpoints.map((endpoint) => ({
    id: endpoint.id,
    ...endpoint.members,
    status: 0,
    statusText: 'success',
    nextAttempt: null,
  }));
  return { data, iterator: null, prevIterator: null, done: true };
}

function attempts(application: Application, url: URL): unknown {
  const { pathname } = url;
  const id = pathname.split('/').at(-1);
  const found = pathname.includes('/attempt/msg/')
    ? application.messages.filter((message) => message.id === id)
    : application.messages;
  return pageOf(
    found.map((message) => attemptOf(application, message)),
    url,
  );
}
