import { z } from 'zod';
import { readLogLevel } from '../../../domain/processes/log-level.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { logLevelResponse, logLevelView } from './log-level.ts';

export const getLogLevel = endpoint({
  paths: ['/v2/operator/loglevel/get'],
  credentials: 'operator',
  operatorScope: 'read',
  mutates: false,
  summary: 'Returns the log level that an operator has set for every process.',
  description: '`configured` means that each process logs by its own `LOG_LEVEL`.',
  data: z.strictObject({}),
  response: dataResponse(logLevelResponse),
  errors: [],
  example: {},
  async handle(_call, { em }) {
    return succeeded('Log level retrieved successfully.', logLevelView(await readLogLevel(em)));
  },
});
