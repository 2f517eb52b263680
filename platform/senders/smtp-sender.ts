import { PassThrough } from 'node:stream';
import { createTransport } from 'nodemailer';
import { OwnerLimits } from '../process/owner-limits.ts';
import { maxConnections } from './provider-connections.ts';
import type { Email } from './email.ts';
import { needsUtf8, utf8Offer } from './smtp-utf8.ts';
import { smtpVerdict, statusOf, type SmtpProgress } from './smtp-verdict.ts';
import { attemptLimitMs, type SendVerdict } from './verdict.ts';

/** Sends e-mails through the deployment's SMTP server. */
export interface EmailSender {
  /**
   * Messages of one `key` use a limited share of the connections, so that keys do not delay each other. Never rejects.
   */
  send(key: string, email: Email): Promise<SendVerdict>;
  close(): void;
}

/** Closes an idle connection before servers do. */
const limitsMs = { connect: 10_000, greeting: 10_000, idle: 10_000 } as const;

/**
 * `url`: `smtp:` with STARTTLS when the server offers it, or `smtps:`. Verifies certificates. Sends credentials over
 * TLS only, except to this machine.
 */
export function smtpSender(url: string): EmailSender {
  const connection = { ...connectionOf(new URL(url)), ...connectionLimits };
  const pool = createTransport({ ...connection, pool: true, ...poolOptions });
  const offersUtf8 = utf8Offer(connection);
  // Composes a message before sending it: one write to the socket, not one per line. The caller's stream counts the
  // bytes sent.
  pool.use('stream', ({ data, message }, done) => {
    const stream: unknown = Object(data)[contentStream];
    if (!(stream instanceof PassThrough)) {
      done();
      return;
    }
    message.build((error, content) => {
      message.createReadStream = () => inChunks(content, stream);
      done(error);
    });
  });
  const keys = new OwnerLimits(maxConnections.perKey);
  return {
    send: async (key, email) =>
      keys.run(key, async () => {
        const content = new PassThrough();
        // A signal of `AbortSignal.timeout` would stay in memory until the timeout after each message.
        const limit = new AbortController();
        const timer = setTimeout(() => limit.abort(), attemptLimitMs);
        const message = { ...composed(email), [contentStream]: content, signal: limit.signal };
        try {
          if (addressesOf(email).some(needsUtf8) && !(await offersUtf8(limit.signal)))
            return { result: 'refused', code: 'address-unsupported', addressUnknown: false };
          const sent = await pool.sendMail(message);
          return { result: 'accepted', code: statusOf(sent.response), reference: email.messageId };
        } catch (error) {
          return smtpVerdict(error, progressOf(content));
        } finally {
          clearTimeout(timer);
        }
      }),
    close: () => {
      pool.close({ force: true });
    },
  };
}

const addressesOf = ({ from, to, replyTo }: Email): readonly string[] => [from.address, to, replyTo];

/** The member of a message's data that holds the stream. */
const contentStream = 'contentStream';

/** Bytes per write of a large message: the stream ends only when the socket has taken all earlier writes. */
const chunkBytes = 16_384;

function inChunks(content: Buffer, stream: PassThrough): PassThrough {
  for (let from = 0; from < content.length; from += chunkBytes)
    stream.write(content.subarray(from, from + chunkBytes));
  stream.end();
  return stream;
}

/** The progress of the message that `inChunks` writes to the stream once a connection is ready, and the socket reads. */
const progressOf = ({ readableEnded, writableEnded }: PassThrough): SmtpProgress =>
  readableEnded ? 'sent' : writableEnded ? 'sending' : 'connecting';

const connectionLimits = {
  connectionTimeout: limitsMs.connect,
  greetingTimeout: limitsMs.greeting,
  dnsTimeout: limitsMs.connect,
  socketTimeout: attemptLimitMs,
  maxResponseSize: 65_536,
} as const;

/** Options of a process's connection pool. */
export const poolOptions = {
  maxConnections: maxConnections.all,
  maxMessages: 100,
  // The caller counts and repeats attempts.
  maxRequeues: 0,
  ...connectionLimits,
  idleTimeout: limitsMs.idle,
  disableFileAccess: true,
  disableUrlAccess: true,
} as const;

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function connectionOf({ protocol, hostname, port, username, password }: URL) {
  const secure = protocol === 'smtps:';
  const auth =
    username === '' ? undefined : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: auth !== undefined && !secure && !loopback.test(hostname),
    ...(auth && { auth }),
  };
}

/** The message in the form that the composer takes. */
export const composed = ({ from, headers, replyTo, ...email }: Email) => ({
  ...email,
  from,
  envelope: { from: from.address, to: email.to },
  ...(replyTo !== '' && { replyTo }),
  headers: { ...headers },
  // Not `flowed`: readers that support it would join lines.
  textEncoding: 'quoted-printable' as const,
  disableFileAccess: true,
  disableUrlAccess: true,
});
