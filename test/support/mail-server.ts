import { once } from 'node:events';
import type { Socket } from 'node:net';
import { callbackify } from 'node:util';
import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail that the server accepted. */
export interface TakenMail {
  /** The sender of the envelope. */
  readonly from: string;
  readonly to: string;
  readonly raw: string;
  readonly parsed: ParsedMail;
}

/**
 * The server's treatment of one recipient's mails. `reply` is an SMTP reply, for instance `550 5.1.1 no such user`.
 * `drop` closes the connection before or after the final dot.
 */
export type Script =
  | { readonly atSender: string }
  | { readonly atRecipient: string }
  | { readonly afterData: string }
  | { readonly drop: 'before the final dot' | 'after the final dot' }
  | 'hang';

/** A local SMTP server, scripted by recipient. Accepts mails without a script. */
export interface MailServer {
  /** URL with the protocol `smtp:`. */
  readonly url: string;
  readonly port: number;
  readonly mails: readonly TakenMail[];
  /** Number of connections so far. */
  readonly connections: () => number;
  /** Max concurrent connections that hung so far. */
  readonly maxHanging: () => number;
  script(recipient: string, script: Script | undefined): void;
  readonly close: () => Promise<void>;
}

/** Starts the server, without STARTTLS unless `options` enable it. */
export async function aMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const scripts = new Map<string, Script>();
  const mails: TakenMail[] = [];
  const sockets = new Map<number, Socket>();
  let connections = 0;
  const hanging = new Set<Socket | undefined>();
  let maxHanging = 0;
  const keep = async (from: string, to: string, raw: Buffer): Promise<void> => {
    mails.push({ from, to, raw: raw.toString('utf8'), parsed: await simpleParser(raw) });
  };
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    hideSTARTTLS: true,
    hideENHANCEDSTATUSCODES: true,
    logger: false,
    ...options,
    onMailFrom(_address, _session, callback) {
      const script = [...scripts.values()].find((one) => typeof one === 'object' && 'atSender' in one);
      callback(script === undefined ? null : refusal(script.atSender));
    },
    onRcptTo({ address }, _session, callback) {
      const script = scripts.get(address);
      callback(typeof script === 'object' && 'atRecipient' in script ? refusal(script.atRecipient) : null);
    },
    onData(stream, session, callback) {
      const to = session.envelope.rcptTo[0]?.address ?? '';
      const script = scripts.get(to);
      const socket = sockets.get(session.remotePort);
      if (typeof script === 'object' && 'drop' in script && script.drop === 'before the final dot') {
        stream.once('data', () => socket?.destroy());
        stream.resume();
        return;
      }
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (script === 'hang') {
          hanging.add(socket);
          maxHanging = Math.max(maxHanging, hanging.size);
          return;
        }
        if (typeof script === 'object' && 'drop' in script) {
          socket?.destroy();
          return;
        }
        if (typeof script === 'object' && 'afterData' in script) {
          callback(refusal(script.afterData));
          return;
        }
        const raw = Buffer.concat(chunks);
        const { mailFrom } = session.envelope;
        callbackify(keep)(mailFrom === false ? '' : mailFrom.address, to, raw, callback);
      });
    },
  });
  // The library reports dropped clients, and clients that close, as errors.
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.set(socket.remotePort ?? 0, socket);
    socket.once('close', () => {
      sockets.delete(socket.remotePort ?? 0);
      hanging.delete(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as { port: number };
  return {
    url: `smtp://127.0.0.1:${String(port)}`,
    port,
    mails,
    connections: () => connections,
    maxHanging: () => maxHanging,
    script(recipient, script) {
      if (script === undefined) scripts.delete(recipient);
      else scripts.set(recipient, script);
    },
    async close() {
      for (const socket of sockets.values()) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

function refusal(reply: string): Error {
  const error: Error & { responseCode?: number } = new Error(reply.slice(4));
  error.responseCode = Number(reply.slice(0, 3));
  return error;
}
