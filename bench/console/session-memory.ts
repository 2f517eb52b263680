import { setTimeout as pause } from 'node:timers/promises';
import { buildConsole } from '../../local/build-console.ts';
import type { Figure } from '../figure.ts';
import { residentOf } from '../process.ts';
import type { Bench } from '../run.ts';
import { ofWorkspace, posted, signIn } from './session.ts';
import { loadWorld, type ConsoleWorld } from './world.ts';

const sessions = 20;
/** How often each caller sends every call in a round. */
const repetitions = 20;
const rounds = { min: 6, max: 40 } as const;
/** The process has settled when its memory stays within `megabytes` over `rounds` consecutive rounds. */
const settled = { rounds: 4, megabytes: 1 } as const;
/** Pause in which the process can collect the garbage of a round. */
const pauseMs = 500;

/** Returns the calls of a key's pages. */
const callsOf = ({ organizationId }: ConsoleWorld): readonly (readonly [path: string, data: object])[] => [
  ['/v2/overview/get', {}],
  ['/v2/usage/get', { by: 'hour', from: Date.now() - 48 * 3_600_000, pageSize: 100 }],
  ['/v2/workspace/advancedwebhook/endpoints/health/get', { pageSize: 100 }],
  ['/v2/organizations/get', { pageSize: 50 }],
  ['/v2/organizations/documents/get', { organizationId, pageSize: 50 }],
  ['/v2/users/search', { prefix: 'a', pageSize: 50 }],
  ['/v2/jobs/list', { pageSize: 50 }],
];

/** Compares the API's resident memory under 20 active sessions with the same calls by the key's own credentials. */
export const measureSessionMemory: Bench = async (site, run) => {
  await buildConsole(run);
  const world = await loadWorld(site, run, ['organizations']);
  const { key } = world;
  // A new process, whose memory no other bench has used.
  const api = await site.startApi({});
  const calls = callsOf(world);
  const settle = async (
    headersOf: readonly Readonly<Record<string, string>>[],
    below: string,
  ): Promise<number> => {
    const seen: number[] = [];
    for (let round = 0; round < rounds.max; round += 1) {
      await Promise.all(
        headersOf.map(async (headers) => {
          for (let n = 0; n < repetitions; n += 1)
            for (const [path, data] of calls) await posted(`${api.url}${below}${path}`, headers, data);
        }),
      );
      await pause(pauseMs, undefined, { signal: run.signal });
      seen.push(residentOf(api.pid) ?? Number.NaN);
      const last = seen.slice(-settled.rounds);
      const range = Math.max(...last) - Math.min(...last);
      if (round >= rounds.min && range <= settled.megabytes) break;
    }
    run.show(
      `${below === '' ? 'Without' : 'With'} sessions: ${seen.map((mb) => mb.toFixed(0)).join(' ')} MB`,
    );
    return seen.at(-1) ?? Number.NaN;
  };
  const before = await settle(
    Array.from({ length: sessions }, () => key.headers),
    '',
  );
  const signedIn: Readonly<Record<string, string>>[] = [];
  for (let n = 0; n < sessions; n += 1) {
    const { headers } = await signIn(api, ofWorkspace(site));
    await loadFiles(api.url);
    signedIn.push({ ...headers, 'x-console-key': key.keyId });
  }
  const after = await settle(signedIn, '/console/api');
  // The system does not report it.
  if (Number.isNaN(after - before)) return [];
  const figure: Figure = {
    name: `resident memory of the API: more with ${String(sessions)} sessions`,
    unit: 'MB',
    steward: after - before,
    target: { of: 'measured', is: 'at most', value: 10 },
  };
  return [figure];
};

/** Loads the page and the files of its first load, like a browser with an empty cache. */
async function loadFiles(url: string): Promise<void> {
  const page = await (await fetch(`${url}/console`)).text();
  for (const [, path = ''] of page.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g))
    await (await fetch(`${url}${path}`)).arrayBuffer();
}
