import { DefaultLogger, Runtime } from '@temporalio/worker';

/** For workers in the test's own process: what goes wrong is told by the test, not by the SDK's log. Once a file. */
export function quietRuntime(): void {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
  });
}
