import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

/** The member `result`. Each test declares the type of `data`. */
export interface Result<Data = unknown> {
  readonly status: string;
  readonly message: string;
  readonly data: Data;
  readonly failedCount?: number;
  readonly deletedCount?: number;
  readonly documentIds?: readonly string[];
  readonly jobId?: string;
  readonly nextPageToken?: string;
  readonly pageToken?: string;
}

export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** The member `error`, and the HTTP status of the response. */
export interface Refusal {
  readonly http: number;
  readonly status: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>> & {
    readonly requestId: string;
    readonly issues?: readonly Issue[];
  };
  readonly headers: IncomingHttpHeaders;
}

export interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: {
    readonly result?: Result;
    readonly error?: Omit<Refusal, 'http' | 'headers'>;
    /** The body of a response without an envelope, like that of users/data/delete. */
    readonly statusCode?: number;
  };
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
  readonly method?: string;
  /** Body that replaces `{data}`. */
  readonly raw?: string | Buffer;
}

/** A caller with credentials. */
export interface TestClient {
  readonly headers: Readonly<Record<string, string>>;
  call(path: string, data?: object, options?: CallOptions): Promise<Response>;
  /** Expects success. Returns `result`, or the whole body without an envelope. */
  ok<Data = unknown>(path: string, data?: object, options?: CallOptions): Promise<Result<Data>>;
  /** Expects an error in the envelope. */
  refused(path: string, data?: object, options?: CallOptions): Promise<Refusal>;
  /** Returns a client with these headers, which override its own. */
  with(headers: Readonly<Record<string, string>>): TestClient;
}

const agent = new Agent({ keepAlive: true });

/** Closes the idle connections of clients, for which an API under test would wait. */
export function closeConnections(): void {
  agent.destroy();
}

export function aClient(url: string, headers: Readonly<Record<string, string>> = {}): TestClient {
  const call = async (path: string, data?: object, options: CallOptions = {}): Promise<Response> => {
    const body = options.raw ?? (data === undefined ? '' : JSON.stringify({ data }));
    return send(`${url}${path}`, options.method ?? 'POST', body, {
      ...(body.length > 0 && { 'content-type': 'application/json' }),
      ...headers,
      ...(options.idempotencyKey !== undefined && { 'idempotency-key': options.idempotencyKey }),
      ...options.headers,
    });
  };
  return {
    headers,
    call,
    async ok<Data = unknown>(path: string, data?: object, options?: CallOptions) {
      const response = await call(path, data, options);
      if (response.body.statusCode === 202) return response.body as unknown as Result<Data>;
      if (response.body.result === undefined) {
        throw new Error(`${path} returned ${String(response.status)}: ${response.text.slice(0, 2_000)}`);
      }
      return response.body.result as Result<Data>;
    },
    async refused(path, data, options) {
      const { status, headers, body, text } = await call(path, data, options);
      if (body.error === undefined) throw new Error(`${path} was not refused: ${text.slice(0, 2_000)}`);
      return { http: status, ...body.error, headers };
    },
    with: (others) => aClient(url, { ...headers, ...others }),
  };
}

async function send(
  url: string,
  method: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const length = String(Buffer.byteLength(body));
    const sent = request(url, { method, agent, headers: { 'content-length': length, ...headers } });
    sent.once('error', reject);
    sent.once('response', resolve);
    sent.end(body);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const status = response.statusCode ?? 0;
  const isJson = response.headers['content-type']?.startsWith('application/json') ?? true;
  return { status, headers: response.headers, text, body: isJson ? parsed(url, status, text) : {} };
}

function parsed(url: string, status: number, text: string): Response['body'] {
  if (text === '') return {};
  try {
    return JSON.parse(text) as Response['body'];
  } catch {
    throw new Error(`${url} returned ${String(status)} without JSON: ${text.slice(0, 500)}`);
  }
}

/** The message of each issue by its path, for `toEqual`. */
export function issuesOf({ details }: Refusal): Record<string, string> {
  if (details.issues === undefined) throw new Error('The refusal names no issues.');
  return Object.fromEntries(details.issues.map(({ path, message }) => [path, message]));
}
