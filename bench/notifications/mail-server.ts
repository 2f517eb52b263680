import { createServer } from 'node:http';
import { SMTPServer } from 'smtp-server';
import { z } from 'zod';

/*
 * A minimal SMTP server: reads each e-mail to the end, records when it arrived, and accepts it. A separate port returns the arrivals.
 */
const { PORT, CONTROL_PORT } = z
  .object({ PORT: z.coerce.number(), CONTROL_PORT: z.coerce.number() })
  .parse(process.env);

/** Milliseconds since the epoch of each arrival, by Message-ID. */
let arrivals = new Map<string, number[]>();
let all = 0;

function note(content: Buffer): void {
  const id = /^message-id: <([^@>]+)@/im.exec(content.toString('latin1'))?.[1] ?? '';
  const at = performance.timeOrigin + performance.now();
  arrivals.set(id, [...(arrivals.get(id) ?? []), at]);
  all += 1;
}

const smtp = new SMTPServer({
  authOptional: true,
  disableReverseLookup: true,
  hideSTARTTLS: true,
  logger: false,
  onData(stream, _session, callback) {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      note(Buffer.concat(chunks));
      callback(null);
    });
  },
});
// Errors of killed clients.
smtp.on('error', () => undefined);
smtp.listen(PORT, '127.0.0.1');

const commands: Readonly<Record<string, () => object>> = {
  '/count': () => ({ distinct: arrivals.size, all }),
  '/arrivals': () => [...arrivals].map(([id, times]) => ({ id, times })),
  '/forget': () => {
    arrivals = new Map();
    all = 0;
    return {};
  },
};
createServer((request, response) => {
  response.end(JSON.stringify(commands[request.url ?? '']?.() ?? {}));
}).listen(CONTROL_PORT, '127.0.0.1');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
