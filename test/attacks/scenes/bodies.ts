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

/** 300 connections whose bodies stop in the middle, or have endless chunks. */
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
    ]),
  };
}
