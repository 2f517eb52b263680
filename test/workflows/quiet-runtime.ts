import { DefaultLogger, IllegalStateError, Runtime } from '@temporalio/worker';

/** For workers in the test's own process: what goes wrong is reported by the test, not by the SDK's log. One runtime per process. */
export function quietRuntime(): void {
  try {
    Runtime.install({
      logger: new DefaultLogger('ERROR', () => undefined),
      telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
    });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
