import { readConfiguration } from '../platform/config/read-configuration.ts';
import { unknownVariables } from '../platform/config/unknown-variables.ts';
import { createLogger } from '../platform/logging/logger.ts';
import { runProgram } from '../platform/process/run-program.ts';
import { openTracing } from '../platform/tracing/tracing.ts';
import { startApi } from './start-api.ts';

/** Entry point of an API process: `npm run api`. Any number of processes can run concurrently. */
await runProgram(async () => {
  const configuration = readConfiguration(process.env, 'api');
  const logger = createLogger({
    level: configuration.logLevel,
    format: configuration.logFormat,
    name: 'api',
    context: configuration.tracing,
  });
  for (const { name, nearest } of unknownVariables(process.env)) {
    logger.warn({ name, nearest }, 'unknown environment variable ignored');
  }
  return startApi(configuration, logger, {
    tracing: await openTracing(configuration.tracing, 'steward-api', logger),
  });
});
