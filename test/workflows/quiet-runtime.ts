import { DefaultLogger, Runtime } from '@temporalio/worker';

/** For workers in the test's own process: what goes wrong is reported by the test, not by the SDK's log. One runtime per process. */
export function quietRuntime(): void {
  if (Runtime._instance !== undefined) return;
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
  });
}
