import { isIP, type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { addressAttemptMs } from '../network/address-attempts.ts';
import { mebibyte } from '../units.ts';
import { addressRule } from './address-rules.ts';
import { OutboundError } from './outbound-error.ts';
import { resolveHost } from './resolve-host.ts';

/** The destinations that outbound requests may reach. */
export interface OutboundPolicy {
  /** CIDRs that are allowed although they are private. */
  readonly allowedNetworks: readonly string[];
  /** Refuses http, including to allowed networks. */
  readonly httpsOnly?: boolean;
  /** Refuses every request. */
  readonly paused?: boolean;
  /** `address:port`; replaces the system's name servers. */
  readonly nameServers?: readonly string[];
}

const connectTimeoutMs = 15_000;
/**
 * Idle limit for servers that announce none: short, so that a server rarely closes a connection while a request is
 * being sent.
 */
const keepAliveMs = 1_000;
export const maxKeepAliveMs = 4_000;

/**
 * An agent with an SSRF guard. Each connect resolves the name once, checks every address, and connects only to the checked
 * addresses, so DNS rebinding has no effect. Uses no proxies, follows no redirects, decompresses nothing, and opens one
 * connection per concurrent request. `owner`: see `OutboundRequest`.
 */
export function guardedAgent({ allowedNetworks, nameServers }: OutboundPolicy, owner: string): Agent {
  const allowed = addressRule(allowedNetworks);
  const lookup: LookupFunction = (host, options, response) => {
    resolveHost({ host, owner }, nameServers).then(
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
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressAttemptMs,
  });
  return new Agent({
    allowH2: false,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: maxKeepAliveMs,
    connect(options, callback) {
      // IP addresses bypass `lookup`.
      if (isIP(options.hostname) !== 0 && !allowed(options.hostname)) {
        callback(new OutboundError('address-refused'), null);
      } else {
        connect(options, (...connected) => {
          const [error, socket] = connected;
          if (error === null) limitReceived(socket);
          callback(...connected);
        });
      }
    },
  });
}

/** Max bytes received for one request: the largest body, of 1 MiB, in chunks of 2 bytes. */
const maxReceivedBytes = 4 * mebibyte;

/**
 * Destroys a connection on which a server sends more. The limits of undici and of `exchange` are for headers and body:
 * a reason phrase, chunk extensions or informational responses without end would occupy the process until the timeout.
 */
function limitReceived(socket: Socket): void {
  let requested = 0;
  let earlier = 0;
  let received = 0;
  socket.on('readable', () => {
    // A new request: only its own response counts.
    if (socket.bytesWritten !== requested) {
      requested = socket.bytesWritten;
      earlier = received;
    }
    received = socket.bytesRead;
    if (received - earlier > maxReceivedBytes) socket.destroy(new Error('The response is too large.'));
  });
}
