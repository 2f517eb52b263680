import type { Config } from 'jest';

/** Native ESM, types stripped by swc. Servers are started once by test/run.ts, which calls Jest. */
const config: Config = {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        module: { type: 'es6' },
        jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
      },
    ],
  },
  // Proofs that take minutes have a command of their own: npm run test:long.
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(process.env['STEWARD_LONG_TESTS'] === 'on' ? [] : ['\\.long\\.test\\.ts$']),
  ],
  modulePathIgnorePatterns: ['<rootDir>/.data'],
  // One more than the cores that it is meant for: tests often wait, for timers and for processes that start.
  maxWorkers: 3,
  testTimeout: 60_000,
};

export default config;
