/**
 * Milliseconds in which one address of a name must accept a connection before the next one is tried. Node's default is 250:
 * a server with IPv4 and IPv6 addresses is then unreachable when it is far away, when one packet is lost, and while this
 * process stalls. Three seconds include one retransmission.
 */
export const addressAttemptMs = 3_000;
