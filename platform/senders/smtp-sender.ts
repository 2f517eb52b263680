import { PassThrough } from 'node:stream';
import { createTransport } from 'nodemailer';
import pLimit, { type LimitFunction } from 'p-limit';
import { LRUCache } from 'lru-cache';
import type { Email } from './email.ts';
import { smtpVerdict, statusOf } from './smtp-verdict.ts';
import { attemptLimitMs, type Verdict } from './verdict.ts';

/** Sends e-mails by the deployment's SMTP server. */
export interface EmailSender {
  /** Messages of one `key` share a part of the connections, so that none of them delays others'. Never rejects. */
  send(key: string, email: Email): Promise<Verdict>;
  close(): void;
}

/** Connections of a process to the SMTP server, and how many of them one key uses. */
const connections = { all: 20, perKey: 5 } as const;

/** Milliseconds. An idle connection is closed before servers do so. */
const limits = { connect: 10_000, greeting: 10_000, idle: 10_000 } as const;

/** Keys whose limit is remembered. One that is forgotten while it sends gets a second limit. */
const maxKeys = 10_000;

/**
 * `url`: `smtp:` with STARTTLS where the server offers it, or `smtps:`. Certificates are verified. Credentials are sent
 * over TLS only, except to this machine.
 */
export function smtpSender(url: string): EmailSender {
  const pool = createTransport({ ...connectionOf(new URL(url)), pool: true, ...poolOptions });
  // The content is made before it is sent, so that a message is one write to the socket and not one for each line. It
  // passes through a stream that the caller supplies, so that the caller knows how much was sent.
  pool.use('stream', ({ data, message }, done) => {
    const stream: unknown = Object(data)[contentStream];
    if (!(stream instanceof PassThrough)) {
      done();
      return;
    }
    message.build((error, content) => {
      message.createReadStream = () => inPieces(content, stream);
      done(error);
    });
  });
  const perKey = new LRUCache<string, LimitFunction>({ max: maxKeys });
  const limitOf = (key: string): LimitFunction => {
    const limit = perKey.get(key) ?? pLimit(connections.perKey);
    perKey.set(key, limit);
    return limit;
  };
  return {
    send: async (key, email) =>
      limitOf(key)(async () => {
        const progress = new PassThrough();
        // A signal of `AbortSignal.timeout` would live on for the whole time after each message.
        const limit = new AbortController();
        const timer = setTimeout(() => limit.abort(), attemptLimitMs);
        const message = { ...composed(email), [contentStream]: progress, signal: limit.signal };
        try {
          const sent = await pool.sendMail(message);
          return { result: 'accepted', code: statusOf(sent.response), reference: email.messageId };
        } catch (error) {
          return smtpVerdict(error, progress.readableEnded);
        } finally {
          clearTimeout(timer);
        }
      }),
    close: () => {
      pool.close({ force: true });
    },
  };
}

/** The member of a message's data with that stream. */
const contentStream = 'contentStream';

/** Bytes of a large message that are written at once: the stream ends only when the socket has taken the others. */
const pieceBytes = 16_384;

function inPieces(content: Buffer, stream: PassThrough): PassThrough {
  for (let from = 0; from < content.length; from += pieceBytes)
    stream.write(content.subarray(from, from + pieceBytes));
  stream.end();
  return stream;
}

/** The pool of connections of a process. */
export const poolOptions = {
  maxConnections: connections.all,
  maxMessages: 100,
  // Attempts are counted by the caller, who repeats them.
  maxRequeues: 0,
  connectionTimeout: limits.connect,
  greetingTimeout: limits.greeting,
  dnsTimeout: limits.connect,
  socketTimeout: attemptLimitMs,
  idleTimeout: limits.idle,
  maxResponseSize: 65_536,
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

/** The message as the composer takes it. */
export const composed = ({ from, headers, replyTo, ...email }: Email) => ({
  ...email,
  from,
  envelope: { from: from.address, to: email.to },
  ...(replyTo !== '' && { replyTo }),
  headers: { ...headers },
  // Lines of a text that flows are joined by readers that know of it; ours are complete.
  textEncoding: 'quoted-printable' as const,
  disableFileAccess: true,
  disableUrlAccess: true,
});
