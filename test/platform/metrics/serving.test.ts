import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { choosePort } from '../../../local/ports.ts';
import { aDatabase } from '../../support/database.ts';
import { serverEnvironment } from '../../support/environment.ts';

/* A running process serves its metrics: test/platform/process/running-processes.test.ts. */

const database = await aDatabase();
afterAll(database.drop);
const freePort = await choosePort(undefined);

describe('METRICS_PORT', () => {
  it.each(['api', 'worker'] as const)(
    'is named with the reason when the %s cannot listen on it',
    async (program) => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      try {
        const { code, err } = await run(`${program}/main.ts`, { METRICS_PORT: String(port) });
        expect(code).toBe(1);
        expect(err).toMatch(
          new RegExp(
            `^Metrics cannot be served on port ${String(port)} \\(.*\\)\\. Choose another port with METRICS_PORT\\.\\n$`,
          ),
        );
      } finally {
        other.close();
      }
    },
  );

  it.each([
    ['api', { METRICS_PORT: '0' }],
    ['worker', { METRICS_PORT: String(freePort) }],
  ] as const)(
    'ends the %s with the remedy when HOST is no address of this machine',
    async (program, environment) => {
      // An address for documentation, RFC 5737.
      const { code, err } = await run(`${program}/main.ts`, { ...environment, HOST: '192.0.2.1' });
      expect([code, err]).toEqual([
        1,
        'Cannot listen on 192.0.2.1 (EADDRNOTAVAIL): set HOST to an address of this machine, or to 0.0.0.0.\n',
      ]);
    },
  );
});

/** Runs a program that ends by itself. */
async function run(
  script: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly code: unknown; readonly err: string }> {
  const { NODE_OPTIONS: _jests, ...inherited } = process.env;
  const env = { ...inherited, ...serverEnvironment(database.url), ...environment };
  const cwd = fileURLToPath(new URL('../../..', import.meta.url));
  return await new Promise((resolve) => {
    execFile(process.execPath, [script], { cwd, env }, (error, _out, err) => {
      resolve({ code: error?.code ?? 0, err });
    });
  });
}
