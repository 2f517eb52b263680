import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { addressRule } from './address-rules.ts';
import { OutboundError } from './outbound-error.ts';
import { resolveHost } from './resolve-host.ts';

/** Where calls outside may go. */
export interface OutboundPolicy {
  /** CIDRs that may be reached although they are private. */
  readonly allowedNetworks: readonly string[];
  /** Refuses http, also to allowed networks. */
  readonly httpsOnly?: boolean;
  /** `address:port`, in the place of the system's name servers. */
  readonly nameServers?: readonly string[];
}

/** Milliseconds. */
const connecting = 15_000;
/** Of a server that does not say for how long it keeps a connection, so that it seldom closes one under a request. */
const kept = 1_000;
export const keptLongest = 4_000;

/**
 * Connections that go only where they may. At each connect the name is resolved once, every address that it has is
 * checked, and the connection goes to those: a name that points elsewhere a moment later changes nothing. Knows no
 * proxies, follows no redirects, unpacks nothing, and makes as many connections as there are requests at once.
 */
export function guardedAgent({ allowedNetworks, nameServers }: OutboundPolicy): Agent {
  const allowed = addressRule(allowedNetworks);
  const lookup: LookupFunction = (host, options, response) => {
    resolveHost(host, nameServers).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every(({ address }) => allowed(address))) {
          response(new OutboundError('address-refused'), []);
        } else if (options.all === true) response(null, [...addresses]);
        else response(null, first.address, first.family);
      },
      (error: unknown) => response(error as OutboundError, []),
    );
  };
  const connect = buildConnector({ timeout: connecting, allowH2: false, lookup, autoSelectFamily: true });
  return new Agent({
    allowH2: false,
    keepAliveTimeout: kept,
    keepAliveMaxTimeout: keptLongest,
    connect(options, callback) {
      // What is an address already is never looked up.
      if (isIP(options.hostname) !== 0 && !allowed(options.hostname)) {
        callback(new OutboundError('address-refused'), null);
      } else connect(options, callback);
    },
  });
}
