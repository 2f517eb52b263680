import { z } from 'zod';
import { readLogLevel, updateLogLevel } from '../../../domain/processes/log-level.ts';
import { endpoint } from '../../http/endpoint.ts';
import { dataResponse, succeeded } from '../../http/response/data.ts';
import { milliseconds } from '../../schemas.ts';
import { logLevel, logLevelResponse, logLevelView } from './log-level.ts';

export const setLogLevel = endpoint({
  paths: ['/v2/operator/loglevel/update'],
  credentials: 'operator',
  operatorScope: 'operate',
  mutates: true,
  audit: { action: 'log_level.update' },
  summary:
    'Sets the log level of every process with its next heartbeat, about 1 second later, without a restart.',
  description:
    'Processes that start later take the level too. The level `configured` restores the `LOG_LEVEL` of ' +
    'each process. Repeating the call changes nothing. The audit log records the call.',
  data: z.strictObject({
    level: logLevel,
    endsAt: milliseconds.optional().meta({
      description:
        'When the level returns to `configured`, in milliseconds since the epoch. Omit for a level that does not expire.',
    }),
  }),
  response: dataResponse(logLevelResponse),
  errors: [],
  example: { level: 'debug', endsAt: 4102444800000 },
  async handle({ data: { level, endsAt = null } }, { em, audit }) {
    const shared = level === 'configured' ? undefined : { level, endsAt };
    const [before, after] = [logLevelView(await readLogLevel(em)), logLevelView(shared)];
    await updateLogLevel(em, shared);
    audit.changed(before, after);
    return succeeded('Log level updated successfully.', after);
  },
});
