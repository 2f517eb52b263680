import { z } from 'zod';
import { listProcesses as read, type ProcessRow } from '../../../domain/processes/list-processes.ts';
import { processKinds } from '../../../platform/process/process-kinds.ts';
import { endpoint } from '../../http/endpoint.ts';
import { listResponse, paging } from '../../http/response/list.ts';
import { rowPages } from '../../http/response/row-pages.ts';
import { milliseconds } from '../../schemas.ts';

/** A host name has up to 255 characters. */
const maxProcessBytes = 1_024;

const processResponse = z
  .strictObject({
    processId: z.string().describe('Id of the process.'),
    kind: z.enum(processKinds).describe('Kind of process.'),
    version: z.string().describe('Release that the process runs.'),
    buildId: z.string().describe('Hash of the sources; not `STEWARD_BUILD_ID`.'),
    host: z.string().describe('Name of the host.'),
    paused: z.array(z.string()).meta({
      description: 'Kinds of work that `STEWARD_PAUSED` pauses in the process: `deliveries`, `jobs`.',
    }),
    startedAt: milliseconds.describe('When the process started, in milliseconds since the epoch.'),
    heartbeatAt: milliseconds.meta({
      description:
        'Time of the last heartbeat, in milliseconds since the epoch. One is sent every second. A process without one ' +
        'for a minute is not listed.',
    }),
  })
  .meta({ id: 'Process' });

export const listProcesses = endpoint({
  paths: ['/v2/operator/processes/list'],
  credentials: 'operator',
  operatorScope: 'read',
  mutates: false,
  summary: 'Lists the running API and worker processes with version and build.',
  description:
    'Each process reports itself every second, so a process that was killed is listed for up to a ' +
    'minute.',
  data: z.strictObject({ ...paging }),
  response: listResponse(processResponse, { unpagedPaths: [] }),
  errors: [],
  example: { pageSize: 50 },
  async handle(_call, { em }) {
    const list = rowPages(
      maxProcessBytes,
      ({ id, kind, version, build_id: buildId, host, paused, started_at, heartbeat_at }: ProcessRow) => ({
        processId: id,
        kind,
        version,
        buildId,
        host,
        paused,
        startedAt: started_at.getTime(),
        heartbeatAt: heartbeat_at.getTime(),
      }),
      ({ after = '', limit }) => read(em, { after, limit }),
    );
    return { message: 'Processes retrieved successfully.', list };
  },
});
