import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';

/*
 * A minimal receiver: reads the body, records it, responds. Commands on a separate port make it stop listening or fail; the same port returns the arrivals.
 */
const { PORT, CONTROL_PORT } = z
  .object({ PORT: z.coerce.number(), CONTROL_PORT: z.coerce.number() })
  .parse(process.env);

interface Noted {
  readonly path: string;
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly body: Buffer;
}

let arrivals: Noted[] = [];
let distinct = new Set<string>();
let refusing = false;

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

const receiver = createServer((request: IncomingMessage, response: ServerResponse) => {
  void bodyOf(request).then((body) => {
    const [path, id] = [request.url ?? '', String(request.headers['webhook-id'])];
    if (refusing) response.statusCode = 503;
    else {
      arrivals.push({ path, id, at: performance.timeOrigin + performance.now(), body });
      distinct.add(`${path} ${id}`);
    }
    response.end();
  });
});

/** Returns the id of the record that an event reports. */
function recordOf({ body }: Noted): string | undefined {
  const { data } = JSON.parse(body.toString()) as { data?: { id?: string } };
  return data?.id;
}

const commands: Readonly<Record<string, () => object>> = {
  '/count': () => ({
    distinct: distinct.size,
    arrivals: arrivals.length,
    last: arrivals.at(-1)?.at ?? null,
    bytes: arrivals.at(-1)?.body.length ?? 0,
  }),
  '/arrivals': () => arrivals.map((noted) => ({ id: noted.id, at: noted.at, record: recordOf(noted) })),
  '/forget': () => {
    arrivals = [];
    distinct = new Set();
    return {};
  },
  '/refuse': () => ({ refusing: (refusing = true) }),
  '/accept': () => ({ refusing: (refusing = false) }),
  '/down': () => {
    receiver.close();
    receiver.closeAllConnections();
    return {};
  },
  '/up': () => {
    receiver.listen(PORT, '127.0.0.1');
    return {};
  },
};

receiver.listen(PORT, '127.0.0.1');
createServer((request, response) => {
  response.end(JSON.stringify(commands[request.url ?? '']?.() ?? {}));
}).listen(CONTROL_PORT, '127.0.0.1');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
