import { createRequire, flushCompileCache, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { keepGlobals, type JestGlobals } from './jest-globals.ts';

/** Arguments of Jest's test runners; those that are handed on alone are not named. */
type RunFile = (...call: [unknown, unknown, unknown, JestRuntime, ...unknown[]]) => Promise<unknown>;

/** What the test runner calls of Jest's runtime, which compiles each file's modules again in a context of the file's own. */
interface JestRuntime {
  requireInternalModule(path: string): unknown;
  unstable_shouldLoadAsEsm(path: string): boolean;
  unstable_importModule(path: string): Promise<unknown>;
  setGlobalsForRuntime(globals: JestGlobals): void;
}

const require = createRequire(import.meta.url);
const { default: runByJest } = require('jest-circus/runner') as { readonly default: RunFile };

const globalsModule = { url: new URL('jest-globals.ts', import.meta.url).href, shortCircuit: true };
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? globalsModule : next(specifier, context),
});

/**
 * Jest's own test runner, with modules loaded by Node: once for all test files of a worker process, from Node's compile
 * cache, in the realm in which the product runs. Compiling them for each file took a quarter of the CPU time of all tests.
 * Test files of one worker therefore share module state.
 */
const runTestFile: RunFile = async (globalConfig, config, environment, runtime, ...others) => {
  const byNode: JestRuntime = {
    // It holds the state of the file that it runs, so each gets its own.
    requireInternalModule(path) {
      Reflect.deleteProperty(require.cache, path);
      return require(path) as unknown;
    },
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (path) => import(pathToFileURL(path).href),
    setGlobalsForRuntime: keepGlobals,
  };
  const mixed = Object.assign(Object.create(runtime) as JestRuntime, byNode);
  try {
    return await runByJest(globalConfig, config, environment, mixed, ...others);
  } finally {
    // Node would write it when the worker process ends, which then takes longer than Jest waits for.
    flushCompileCache();
  }
};
export default runTestFile;
