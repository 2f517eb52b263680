import { domainToASCII } from 'node:url';
import { isDecodable, items, type Parser } from './parser.ts';

/** `smtp:` or `smtps:` with a host; `file:` with the folder that gets each mail as a file. */
export const mailServer: Parser<string> = {
  may: 'an address such as smtp://user:password@mail.example.com:587, smtps://mail.example.com or file:///srv/mails, with % in user, password or path as %25',
  parse: (text) => {
    const parsed = URL.canParse(text) ? new URL(text) : undefined;
    if (parsed === undefined || ![parsed.username, parsed.password, parsed.pathname].every(isDecodable))
      return undefined;
    if (parsed.protocol === 'file:') return parsed.host === '' ? text : undefined;
    const known = ['smtp:', 'smtps:'].includes(parsed.protocol);
    return known && parsed.hostname !== '' && ['', '/'].includes(parsed.pathname) ? text : undefined;
  },
};

/** Whether each label of a name in ASCII form has 1 to 63 letters, digits and hyphens, with no hyphen at its ends. */
const isDomain = (name: string): boolean =>
  name.length <= 253 &&
  name.split('.').every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label));

/** An e-mail address in ASCII: a local part of words between single dots, and a domain of labels. */
export const mailAddress: Parser<string> = {
  may: 'an e-mail address such as notifications@example.com',
  parse: (text) => {
    const [, local = '', domain = ''] = /^([\w.!#$%&'*+/=?^`{|}~-]{1,64})@([^@]{1,253})$/.exec(text) ?? [];
    return isDomain(domain.toLowerCase()) && local.split('.').every((word) => word !== '') ? text : undefined;
  },
};

/** A domain that keys may send from: all of them, or those of one workspace. */
export interface MailDomain {
  /** Lower case, ASCII. */
  readonly domain: string;
  readonly workspaceId: string | undefined;
}

/** `domain` or `domain=workspaceId`, comma separated. */
export const mailDomains: Parser<readonly MailDomain[]> = {
  may: 'domains such as example.com, or example.com=`<workspace id>`, comma separated, with labels of 1 to 63 letters, digits and hyphens between single dots',
  parse: (text) => {
    const domains = items(text).map((item): MailDomain | undefined => {
      const [, name = '', workspaceId] = /^([^=\s]{1,253})(?:=([\w-]{1,100}))?$/.exec(item) ?? [];
      const domain = domainToASCII(name);
      return isDomain(domain) ? { domain, workspaceId } : undefined;
    });
    const good = domains.filter((domain) => domain !== undefined);
    return good.length === domains.length && good.length > 0 ? good : undefined;
  },
};
