import { DefaultLogger, IllegalStateError, Runtime } from '@temporalio/worker';

/** Silences the SDK's log for workers in the test's process: the test reports failures. One runtime per process. */
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
