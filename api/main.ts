import { readConfiguration } from '../platform/config/configuration.ts';
import { unknownVariables } from '../platform/config/unknown-variables.ts';
import { createLogger } from '../platform/logging/logger.ts';
import { runProgram } from '../platform/process/run-program.ts';
import { startApi } from './start-api.ts';

/** The API as a process of its own: `npm run api`. Any number may run beside each other. */
await runProgram(async () => {
  const configuration = readConfiguration(process.env, 'api');
  const logger = createLogger({
    level: configuration.logLevel,
    format: configuration.logFormat,
    name: 'api',
  });
  for (const { name, nearest } of unknownVariables(process.env)) {
    logger.warn({ name, nearest }, 'unknown environment variable ignored');
  }
  if (configuration.metricsPort > 0) {
    logger.info({ variable: 'METRICS_PORT' }, 'metrics port ignored by the API');
  }
  return startApi(configuration, logger);
});
