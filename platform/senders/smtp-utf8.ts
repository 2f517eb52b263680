import SMTPConnection from 'nodemailer/lib/smtp-connection';

type Options = NonNullable<ConstructorParameters<typeof SMTPConnection>[0]>;

/** Milliseconds for which a server's extensions are remembered. */
const rememberedMs = 600_000;

/** Whether mail to an address needs the extension SMTPUTF8 of the server. */
export const needsUtf8 = (address: string): boolean => {
  const local = address.slice(0, address.lastIndexOf('@'));
  return Buffer.byteLength(local) !== local.length;
};

/**
 * Returns a function that asks the server whether it offers SMTPUTF8. Nodemailer does not ask: it sends such an address
 * without the extension, and a server may deliver it to another mailbox. Rejects with the error of a server that does not
 * respond, or that has not responded when `limit` aborts; the next call asks again.
 */
export function utf8Offer(options: Options): (limit: AbortSignal) => Promise<boolean> {
  let asked: { readonly offer: Promise<boolean>; readonly untilMs: number } | undefined;
  return async (limit) => {
    if (asked === undefined || performance.now() > asked.untilMs) {
      const now = { offer: ask(options), untilMs: performance.now() + rememberedMs };
      asked = now;
      now.offer.catch(() => {
        if (asked === now) asked = undefined;
      });
    }
    return before(limit, asked.offer);
  };
}

async function before<Result>(limit: AbortSignal, result: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const reject = () => late.reject(failureOf('ETIMEDOUT'));
  limit.addEventListener('abort', reject);
  try {
    return await Promise.race([result, late.promise]);
  } finally {
    limit.removeEventListener('abort', reject);
  }
}

/** An error in the form of Nodemailer's. */
const failureOf = (code: string): Error =>
  Object.assign(new Error('The server did not respond.'), { code, originalCode: code });

async function ask(options: Options): Promise<boolean> {
  const connection = new SMTPConnection(options);
  try {
    return await new Promise((resolve, reject) => {
      // Stays for later errors: without a listener, they would end the process.
      connection.on('error', reject);
      connection.once('end', () => reject(failureOf('ECONNECTION')));
      connection.connect((error?: Error | null) => {
        // Without a greeting.
        if (error) reject(error);
        // The last response is that to EHLO, after STARTTLS where the server offers it.
        else resolve(String(connection.lastServerResponse).includes('SMTPUTF8'));
      });
    });
  } finally {
    connection.close();
  }
}
