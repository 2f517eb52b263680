import type { Scene, Stage, Target } from '../scene.ts';
import { post, unreadConnections } from '../sockets.ts';

const mebibyte = 1_048_576;
const declared = 10 * mebibyte;
const idleConnections = 300;
/** Bytes that are sent of each body. */
const sentBytes = 2 * mebibyte;
const path = '/v2/activities/add';

const credentials = {
  'no credentials': () => ({}),
  'wrong credentials': ({ attacker }: Target) => ({ ...attacker.headers, 'x-svc-auth-token': 'wrong' }),
  'right credentials': ({ attacker }: Target) => attacker.headers,
} as const;

/** Kinds of credentials of bodies that never end. */
export type Credentials = keyof typeof credentials;

/** Chunks of one byte of each body. */
const tinyChunks = { sent: 700_000, unread: 10_500 } as const;
const tinyChunk = '1\r\n \r\n';

/** 300 connections whose bodies stop in the middle, or have endless chunks, or chunks of one byte. */
export function bodies(full: boolean, kinds: readonly Credentials[]): Stage {
  const callsMeanwhile = full ? 100 : 30;
  const hold = async (
    { url }: Target,
    bytes: Buffer,
    neighborServed: (calls: number) => Promise<void>,
  ): Promise<void> => {
    const connections = await unreadConnections(url, idleConnections, bytes);
    await neighborServed(callsMeanwhile);
    connections.close();
  };
  return {
    scenes: kinds.flatMap((kind): readonly Scene[] => [
      {
        title: `300 bodies of 10 MiB that stop in the middle, ${kind}`,
        async attack(target, neighborServed) {
          const bytes = post(path, credentials[kind](target), Buffer.alloc(sentBytes, ' '), declared);
          await hold(target, bytes, neighborServed);
        },
      },
      {
        title: `300 bodies of endless chunks, ${kind}`,
        async attack(target, neighborServed) {
          const chunked = { ...credentials[kind](target), 'transfer-encoding': 'chunked' };
          const bytes = Buffer.concat([
            post(path, chunked, '', -1),
            Buffer.from(`${sentBytes.toString(16)}\r\n`),
            Buffer.alloc(sentBytes, ' '),
            Buffer.from('\r\n'),
          ]);
          await hold(target, bytes, neighborServed);
        },
      },
      {
        title: `4 bodies of ${String(tinyChunks.sent)} chunks of one byte, ${kind}`,
        async attack(target, neighborServed) {
          const chunked = { ...credentials[kind](target), 'transfer-encoding': 'chunked' };
          const bytes = post(path, chunked, tinyChunk.repeat(tinyChunks.sent), -1);
          const connections = await unreadConnections(target.url, 4, bytes);
          await neighborServed(callsMeanwhile);
          connections.close();
        },
      },
      {
        title: `300 bodies of chunks of one byte behind an unread response, ${kind}`,
        async attack(target, neighborServed) {
          const chunked = { ...credentials[kind](target), 'transfer-encoding': 'chunked' };
          const bytes = Buffer.concat([
            Buffer.from('GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'),
            post(path, chunked, tinyChunk.repeat(tinyChunks.unread), -1),
          ]);
          await hold(target, bytes, neighborServed);
        },
      },
    ]),
  };
}
