import type { Config } from 'jest';

const isLong = process.env['STEWARD_LONG_TESTS'] === 'on';

/** Servers are started once by test/run.ts, which calls Jest; modules are loaded by Node itself, see testRunner. */
const config: Config = {
  // What Jest searches for files. Modules are resolved by Node, so it need not know those of packages.
  roots: ['<rootDir>/test'],
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testEnvironment: 'node',
  testRunner: '<rootDir>/test/run/test-runner.ts',
  testSequencer: '<rootDir>/test/run/sequencer.ts',
  transform: {},
  // Proofs that take minutes have a command of their own: npm run test:long.
  testPathIgnorePatterns: ['/node_modules/', ...(isLong ? [] : ['\\.long\\.test\\.ts$'])],
  // Two or three for each of the two cores that they are meant for: tests often wait, for timers and for processes that
  // start. Those that take minutes start more processes, and some measure how long these wait.
  maxWorkers: isLong ? 4 : 6,
  // Milliseconds in which a worker process ends by itself: releasing its heap takes more than Jest's default of 500 ms.
  workerGracefulExitTimeout: 30_000,
  // For tests that hang. Far above what one takes, so that none fails because its machine is slow.
  testTimeout: 1_800_000,
};

export default config;
