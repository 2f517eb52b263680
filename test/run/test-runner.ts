import { createRequire, flushCompileCache, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { keepGlobals, type JestGlobals } from './jest-globals.ts';

/** Arguments of Jest's test runners. Those that are only passed on have no name. */
type RunFile = (...call: [unknown, unknown, unknown, JestRuntime, ...unknown[]]) => Promise<unknown>;

/** The members of Jest's runtime that the test runner calls. That runtime compiles modules again for each file, in a separate context. */
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
 * Jest's test runner with modules loaded by Node: once for all test files of a worker process, from Node's compile
 * cache, in the product's realm. Compiling them for each file took a quarter of the CPU time of all tests. Test files
 * of one worker therefore share module state.
 */
const runTestFile: RunFile = async (globalConfig, config, environment, runtime, ...others) => {
  const byNode: JestRuntime = {
    // Contains the state of the running file, so each file gets its own instance.
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
    // Node would write the cache when the worker process ends, which would exceed Jest's wait.
    flushCompileCache();
  }
};
export default runTestFile;
