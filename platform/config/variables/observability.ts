import { logLevels } from '../../logging/logger.ts';
import { url } from '../parsers/addresses.ts';
import { wholeNumber } from '../parsers/amounts.ts';
import { oneOf } from '../parsers/texts.ts';
import type { Variable } from '../variable.ts';

/** Logs, metrics and traces. */
export const observabilityVariables = {
  LOG_LEVEL: {
    ...oneOf(...logLevels),
    fallback: 'info',
    meaning: 'Minimum level that is logged.',
  },
  LOG_FORMAT: {
    ...oneOf('pretty', 'json'),
    default: 'pretty on a terminal, else json',
    meaning: 'Format of log lines.',
  },
  STEWARD_ACCESS_LOG_SAMPLING: {
    ...wholeNumber(1, 1_000_000),
    fallback: '1',
    meaning:
      'The API logs one in this many successful requests (2xx), chosen at random, and all requests with another status. 1 logs all.',
  },
  METRICS_PORT: {
    ...wholeNumber(0, 65_535),
    fallback: '0',
    meaning:
      'Port of the process’s Prometheus metrics (`/metrics`, on `HOST`), and of `/healthz` and `/readyz` of a worker; 0 disables them. `npm start` gives it to the API, and the next port to the worker.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    ...url('http://localhost:4318', 'http', 'https'),
    default: 'tracing is off',
    meaning:
      'Base URL of the OpenTelemetry collector that receives traces. OpenTelemetry’s other variables apply too: `docs/tracing.md`.',
    secret: 'address',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    ...url('http://localhost:4318/v1/traces', 'http', 'https'),
    default: 'derived from OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning: 'Complete URL that receives traces.',
    secret: 'address',
  },
} as const satisfies Record<string, Variable<unknown>>;
