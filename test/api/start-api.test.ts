import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, expect, it } from '@jest/globals';
import { startApi } from '../../api/start-api.ts';
import { readConfiguration } from '../../platform/config/read-configuration.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import type { Tracing } from '../../platform/tracing/spans.ts';
import { aDatabase } from '../support/database.ts';
import { serverEnvironment } from '../support/environment.ts';

const database = await aDatabase();
afterAll(database.drop);

it('closes the tracing of an API whose port is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const configuration = readConfiguration(serverEnvironment(database.url, { PORT: String(port) }), 'api');
  const logger = createLogger({ level: 'fatal', format: 'json', name: 'api' }, () => undefined);
  let closed = 0;
  const tracing = { close: async () => void (closed += 1) } as unknown as Tracing;
  try {
    await expect(startApi(configuration, logger, { tracing })).rejects.toThrow(
      `Port ${String(port)} is taken. Choose another with PORT=<port>, or PORT=0 for a free one.`,
    );
  } finally {
    other.close();
  }
  expect(closed).toBe(1);
});
