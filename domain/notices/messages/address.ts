import { domainToASCII } from 'node:url';

/** A parsed e-mail address, with the domain in ASCII form. */
export interface MailAddress {
  readonly address: string;
  /** The domain alone, lower case. */
  readonly domain: string;
  /** False when the local part needs SMTPUTF8. */
  readonly isAscii: boolean;
}

/** Characters of an unquoted local part, and characters beyond ASCII except control characters and separators. */
const localPart = /^[\p{L}\p{N}\p{M}.!#$%&'*+/=?^_`{|}~-]{1,64}$/u;

/** Parses the address of one recipient. Returns undefined for a text that a header could interpret as anything else. */
export function mailAddress(text: string): MailAddress | undefined {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const domain = domainToASCII(text.slice(at + 1)).toLowerCase();
  if (!localPart.test(local) || !/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(domain)) return undefined;
  // Rejects IP addresses, including their short forms, which the ASCII form expands.
  if (!Number.isNaN(Number(domain.split('.').at(-1)))) return undefined;
  const address = `${local}@${domain}`;
  if (address.length > 254) return undefined;
  return { address, domain, isAscii: /^[\x21-\x7e]+$/.test(local) };
}
