import type { Scene, Stage, Target } from '../scene.ts';
import { post, reopenedConnections } from '../sockets.ts';

/** Fewer than in production, so that one caller can open more than all of them. */
const max = 100;
const opened = 110;
const path = '/v2/activities/add';
const chunk = '1\r\n{\r\n';

/** The request that each connection sends. None of them ends. */
const requests: Readonly<Record<string, (target: Target) => Buffer>> = {
  'chunked bodies without credentials': () => post(path, { 'transfer-encoding': 'chunked' }, chunk, -1),
  'sign-ins of the console': () => post('/console/session', { 'sec-fetch-site': 'same-origin' }, '{', 1_000),
  'unread pages': () => Buffer.from('GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  'bodies of one key': ({ attacker }) => post(path, attacker.headers, '{', 1_048_576),
  'heads without an end': () => Buffer.from('POST / HTTP/1.1\r\nHost: localhost\r\n'),
};

/** One caller keeps more connections open than the API accepts. Other callers and probes open one for each call. */
export const connections = (full: boolean): Stage => ({
  environment: { STEWARD_MAX_CONNECTIONS: String(max) },
  reconnects: true,
  scenes: Object.entries(requests).map(([name, request]): Scene => ({
    title: `${String(opened)} connections with ${name}`,
    async attack(target, neighborServed) {
      const end = await reopenedConnections(target.url, opened, request(target));
      await neighborServed(full ? 100 : 24).finally(end);
    },
  })),
});
