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
 * Returns a function that asks the server whether it offers SMTPUTF8. The sender of mails does not: it sends such an address
 * without the extension, and a server may deliver it to another mailbox. True for a server that does not respond: the
 * attempt to send reports that, and the next call asks again.
 */
export function utf8Offer(options: Options): () => Promise<boolean> {
  let asked: { readonly offer: Promise<boolean | undefined>; readonly untilMs: number } | undefined;
  return async () => {
    if (asked === undefined || performance.now() > asked.untilMs)
      asked = { offer: ask(options), untilMs: performance.now() + rememberedMs };
    const offer = await asked.offer;
    if (offer === undefined) asked = undefined;
    return offer ?? true;
  };
}

/** Undefined for a server that does not respond. */
async function ask(options: Options): Promise<boolean | undefined> {
  const connection = new SMTPConnection(options);
  try {
    return await new Promise((resolve) => {
      // Also of errors after the first: without a listener, they would end the process.
      connection.on('error', () => resolve(undefined));
      connection.once('end', () => resolve(undefined));
      // The last response is that to EHLO, after STARTTLS where the server offers it.
      connection.connect(() => resolve(String(connection.lastServerResponse).includes('SMTPUTF8')));
    });
  } finally {
    connection.close();
  }
}
