import { createSecretKey } from 'node:crypto';
import { createServer } from 'node:http';
import { createTransport } from 'nodemailer';
import { z } from 'zod';
import { composeEmail } from '../../domain/deliveries/compose-email.ts';
import { composed, poolOptions } from '../../platform/senders/smtp-sender.ts';

/*
 * nodemailer alone: `/<connections>?<messages>` posts that many prepared messages to the mail server and responds when it has accepted all. No rows, rules or rendering: subject, text and HTML are those of Steward's own messages.
 */
const { PORT, SMTP_PORT } = z
  .object({ PORT: z.coerce.number(), SMTP_PORT: z.coerce.number() })
  .parse(process.env);

const settings = {
  from: 'steward@mail.test',
  fromCompany: '',
  replyTo: '',
  linkTemplate: '',
  includeContent: true,
};
const secret = createSecretKey(Buffer.alloc(32, 's'));

const messageOf = (nth: number) =>
  composed(
    composeEmail(settings, {
      deliveryId: `dlv_floor${String(nth).padStart(24, '0')}`,
      to: `u${String(nth)}@users.test`,
      tenantId: '1',
      secret,
      unsubscribeUrl: `http://127.0.0.1/unsubscribe/${'t'.repeat(100)}`,
      messages: [
        {
          id: String(nth),
          why: 'named',
          organization: '1',
          organizationName: 'Benchmark',
          document: '1',
          thread: null,
          notice: {
            ids: {
              organizationId: 'bench',
              documentId: 'bench',
              notificationId: `n${String(nth)}`,
              annotationId: undefined,
              commentId: undefined,
            },
            documentName: 'bench',
            comment: undefined,
            actorName: 'Ada Lovelace',
            headline: 'Ada Lovelace asked',
            headlineIsOurs: false,
            text: 'Could you have another look at this paragraph?',
            textsHeldElsewhere: false,
            at: 1_760_000_000_000,
          },
        },
      ],
    }),
  );

async function post(
  messages: readonly ReturnType<typeof messageOf>[],
  maxConnections: number,
): Promise<void> {
  const pool = createTransport({
    host: '127.0.0.1',
    port: SMTP_PORT,
    secure: false,
    pool: true,
    ...poolOptions,
    maxConnections,
  });
  await Promise.all(messages.map(async (message) => pool.sendMail(message)));
  pool.close();
}

createServer((request, response) => {
  const [connections = '', number = ''] = (request.url ?? '').slice(1).split('?');
  const messages = Array.from({ length: Number(number) }, (_, nth) => messageOf(nth));
  const { user, system } = process.cpuUsage();
  const began = performance.now();
  void post(messages, Number(connections)).then(() => {
    const used = process.cpuUsage();
    const ms = performance.now() - began;
    response.end(JSON.stringify({ ms, cpu: used.user + used.system - user - system }));
  });
}).listen(PORT, '127.0.0.1');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
