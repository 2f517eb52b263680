import { lookup, Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { OutboundError } from './outbound-error.ts';

const perTry = 2_000;
const tries = 2;

/** Nobody has such a name, or there is no name server here at all. */
const unknownToNameServers: ReadonlySet<string | undefined> = new Set([
  'ENOTFOUND',
  'ENODATA',
  'ECONNREFUSED',
]);

/**
 * Every address of a host. Name servers are asked directly (`nameServers`, else those of the system): the system's own
 * look-up holds one of the two threads that all of them share for as long as somebody's name server does not answer. It
 * is asked for the names that name servers do not know: those of the hosts file, and short ones. Throws `OutboundError`.
 */
export async function resolveHost(
  host: string,
  nameServers: readonly string[] | undefined,
): Promise<readonly LookupAddress[]> {
  const short = !host.includes('.');
  const found = short ? [] : await askNameServers(host, nameServers);
  return found.length > 0 ? found : await askSystem(host);
}

/** Empty when they say that there is no such name. */
async function askNameServers(
  host: string,
  nameServers: readonly string[] | undefined,
): Promise<LookupAddress[]> {
  // A new one each time: it reads the system's settings when it is made, and connections are kept.
  const resolver = new Resolver({ timeout: perTry, tries });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const responses = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = responses.flatMap((response, index) =>
    response.status === 'fulfilled'
      ? response.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }))
      : [],
  );
  const failure = responses.find(
    (response) =>
      response.status === 'rejected' &&
      !unknownToNameServers.has((response.reason as NodeJS.ErrnoException).code),
  );
  if (found.length === 0 && failure?.status === 'rejected') {
    throw new OutboundError('not-resolved', failure.reason);
  }
  return found;
}

async function askSystem(host: string): Promise<LookupAddress[]> {
  try {
    return await lookup(host, { all: true });
  } catch (error) {
    throw new OutboundError('not-resolved', error);
  }
}
