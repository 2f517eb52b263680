import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import type { TestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { calledThrough, aTenant } from '../../support/factories.ts';
import { startProcess } from '../../support/processes.ts';
import { aRawCaller, headOf, responsesIn, type RawCaller } from '../../support/raw-caller.ts';

const mebibyte = 1_048_576;
const add = '/v2/activities/add';
const get = '/v2/organizations/get';

/** Undefined where the system does not report it. */
async function residentMegabytes(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8').catch(() => '');
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
}

/** Tests half-sent bodies of callers with these kinds of credentials. */
export function testHalfSentBodies(api: TestApi, kinds: readonly ('no' | 'wrong' | 'right')[]): void {
  describe('300 connections with half of a body of 10 MiB each', () => {
    it.each(kinds)(
      'with %s credentials keep the process below 600 MB and other tenants served',
      async (kind) => {
        const [attacker, other] = [await aTenant(api), await aTenant(api)];
        const process = await startProcess('api', api.database.url);
        const callers: RawCaller[] = [];
        try {
          const headers = {
            no: {},
            wrong: { ...attacker.headers, 'x-svc-auth-token': 'wrong' },
            right: attacker.headers,
          }[kind];
          const half = Buffer.alloc(5 * mebibyte, 'a');
          for (let count = 0; count < 300; count += 1) {
            const caller = await aRawCaller(process.url);
            void caller.write(headOf(add, { ...headers, 'Content-Length': 10 * mebibyte }));
            void caller.write(half);
            callers.push(caller);
          }
          const caller = calledThrough(process, other);
          for (let count = 0; count < 20; count += 1) expect((await caller.call(get, {})).status).toBe(200);
          // Two or three bodies with valid credentials have room. The others are refused after 5 s.
          const waiting = () => callers.filter(({ received }) => received() === '').length;
          await eventually(() => waiting() <= (kind === 'right' ? 3 : 0));
          const statuses = callers.flatMap(({ received }) => responsesIn(received())).map((it) => it.status);
          // On a slow machine, some bodies time out before the memory limit refuses them.
          const refusals = { no: [401], wrong: [403], right: [503, 408] }[kind];
          for (const status of new Set(statuses)) expect(refusals).toContain(status);
          expect((await residentMegabytes(process.pid)) ?? 0).toBeLessThanOrEqual(600);
          expect((await caller.call(get, {})).status).toBe(200);
        } finally {
          for (const { socket } of callers) socket.destroy();
          expect(await process.stop()).toBe(0);
        }
      },
    );
  });
}
