import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { obtainHaProxy } from '../support/haproxy.ts';
import { soakCluster } from './cluster.ts';

const haProxy = await obtainHaProxy();
if (typeof haProxy === 'string') process.stderr.write(`${haProxy}\n`);
const itWithHaProxy = typeof haProxy === 'string' ? it.skip : it;

/** `npm run soak -- --cluster` runs 30 minutes. A slow machine needs more than 3 minutes for all faults. */
const durationMs = 180_000;
const faultsWithinMs = 3_600_000;
const seed = randomInt(2 ** 31);

describe('a cluster', () => {
  itWithHaProxy(
    'keeps its guarantees while its processes are stopped, cut off, without disk, with a wrong clock or replaced',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'steward-soak-cluster-'));
      const { ledger, outages } = await soakCluster({
        durationMs,
        faultsWithinMs,
        seed,
        folder,
        stopping: new AbortController().signal,
        show: (line) => process.stderr.write(`${line}\n`),
      });
      const all = [...ledger.scenarios.values()];
      process.stderr.write(
        `${JSON.stringify({ seed, outages, ended: all.map(({ name, ended, givenUp }) => [name, ended, givenUp]) })}\n`,
      );
      expect(ledger.violations).toEqual([]);
      // Each process was stopped, and cut off from both servers; PostgreSQL was replaced by its standby.
      expect(outages.length).toBeGreaterThanOrEqual(10);
      expect(all.every(({ ended }) => ended > 0)).toBe(true);
      await rm(folder, { recursive: true });
    },
    7_200_000,
  );
});
