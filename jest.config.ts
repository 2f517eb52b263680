import type { Config } from 'jest';

/** Servers are started once by test/run.ts, which calls Jest; modules are loaded by Node itself, see testRunner. */
const config: Config = {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testEnvironment: 'node',
  testRunner: '<rootDir>/test/run/test-runner.ts',
  transform: {},
  // Proofs that take minutes have a command of their own: npm run test:long.
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(process.env['STEWARD_LONG_TESTS'] === 'on' ? [] : ['\\.long\\.test\\.ts$']),
  ],
  modulePathIgnorePatterns: ['<rootDir>/.data'],
  // One more than the cores that it is meant for: tests often wait, for timers and for processes that start.
  maxWorkers: 3,
  testTimeout: 600_000,
};

export default config;
