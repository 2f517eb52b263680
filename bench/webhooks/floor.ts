import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { Pool as Database } from 'pg';
import { Pool } from 'undici';
import { z } from 'zod';

/*
 * The minimal webhook sender. `/messages` inserts one row per call and returns 202. A dispatcher in the same process
 * claims 100 rows, posts 50 concurrently and records them in one statement. `/raw?<n>` only sends signed posts, 50
 * concurrently. No credentials, validation, choice of endpoints, attempt log or retries.
 */
const settings = z
  .object({ PORT: z.coerce.number(), BENCH_DATABASE_URL: z.string(), BENCH_RECEIVER: z.string() })
  .parse(process.env);
const claimed = 100;
const atOnce = 50;

const database = new Database({
  connectionString: settings.BENCH_DATABASE_URL,
  max: 20,
  application_name: 'bench-floor',
});
await database.query(
  `create table if not exists bench_outbox (id bigint generated always as identity primary key, body text not null, state smallint not null default 0);
   create index if not exists bench_outbox_waiting on bench_outbox (id) where state = 0`,
);
const receiver = new Pool(new URL(settings.BENCH_RECEIVER).origin, { connections: atOnce });
const secret = Buffer.alloc(32, 's');

async function post(id: string, body: string): Promise<void> {
  const at = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest('base64');
  const response = await receiver.request({
    path: '/',
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': at,
      'webhook-signature': `v1,${signature}`,
    },
    body,
  });
  await response.body.dump();
}

/** Calls `act` for each item, with a limit on concurrent calls. */
async function inLanes<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await act(item);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

interface Row {
  readonly id: string;
  readonly body: string;
}

async function claim(): Promise<readonly Row[]> {
  const { rows } = await database.query<Row>({
    name: 'claim',
    text: `update bench_outbox set state = 1 where id = any (array(
      select id from bench_outbox where state = 0 order by id limit ${String(claimed)} for update skip locked)) returning id, body`,
  });
  return rows;
}

let wake = (): void => undefined;

async function dispatch(): Promise<void> {
  for (;;) {
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const rows = await claim();
    if (rows.length === 0) await woken;
    else {
      await inLanes(rows, ({ id, body }) => post(`floor_${id}`, body));
      await database.query({
        name: 'done',
        text: 'update bench_outbox set state = 2 where id = any ($1)',
        values: [rows.map(({ id }) => id)],
      });
    }
  }
}

async function accept(body: string): Promise<void> {
  await database.query({
    name: 'accept',
    text: 'insert into bench_outbox (body) values ($1)',
    values: [body],
  });
  wake();
}

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    const [path, number = '0'] = (request.url ?? '').split('?');
    const ids = Array.from({ length: path === '/raw' ? Number(number) : 0 }, (_, n) => `raw_${String(n)}`);
    const act = path === '/raw' ? inLanes(ids, (id) => post(id, body)) : accept(body);
    void act.then(() => response.writeHead(202).end());
  });
}).listen(settings.PORT, '127.0.0.1');
void dispatch();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
