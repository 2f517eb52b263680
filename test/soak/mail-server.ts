import { appendFileSync, writeFileSync } from 'node:fs';
import { SMTPServer } from 'smtp-server';

/*
 * `node test/soak/mail-server.ts <file> <port>`: an SMTP server that a soak may kill. Appends recipient and delivery of each e-mail to the file before accepting it, and writes its port to `<file>.port`.
 */

const [file = '', port = '0'] = process.argv.slice(2);

const server = new SMTPServer({
  authOptional: true,
  disableReverseLookup: true,
  hideSTARTTLS: true,
  logger: false,
  onData(stream, session, callback) {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const raw = Buffer.concat(chunks).toString('utf8');
      const deliveryId = /^message-id: <([^@>]+)@/im.exec(raw)?.[1] ?? '';
      const to = session.envelope.rcptTo[0]?.address ?? '';
      appendFileSync(file, `${JSON.stringify({ to, deliveryId })}\n`);
      callback(null);
    });
  },
});
// Errors of killed clients.
server.on('error', () => undefined);
server.listen(Number(port), '127.0.0.1', () => {
  writeFileSync(`${file}.port`, String((server.server.address() as { port: number }).port));
});
