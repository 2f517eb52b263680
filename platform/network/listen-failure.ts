import { codeOf } from '../process/error-code.ts';

/** System error codes of a host that is no address of this machine, or a name that does not resolve. */
const foreignHosts: ReadonlySet<string> = new Set([
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** The error for a server that cannot listen because of `HOST`; undefined for other causes. */
export function hostFailure(error: unknown, host: string): Error | undefined {
  const code = codeOf(error);
  if (!foreignHosts.has(code)) return undefined;
  const text = `Cannot listen on ${host} (${code}): set HOST to an address of this machine, or to 0.0.0.0.`;
  return new Error(text, { cause: error });
}
