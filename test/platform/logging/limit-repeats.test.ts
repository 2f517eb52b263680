import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../../../platform/logging/logger.ts';
import { limitRepeats } from '../../../platform/logging/limit-repeats.ts';
import { logContext } from '../../../platform/logging/log-context.ts';
import { eventually } from '../../support/eventually.ts';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly repeated?: number;
  readonly reason?: string;
  readonly workflowId?: string;
}

function limited(windowMs: number, level = 'info') {
  const lines: Line[] = [];
  const logger = createLogger({ level, format: 'json', name: 'tests', context: true }, (line) => {
    lines.push(JSON.parse(line) as Line);
  });
  return { lines, logger: limitRepeats(logger, windowMs) };
}

describe('a line that repeats', () => {
  it('is logged at once, then once per window with its number of repetitions', async () => {
    const { lines, logger } = limited(20);
    for (const reason of ['first', 'second', 'third']) logger.warn({ reason }, 'no connection');
    expect(lines).toMatchObject([{ level: 'warn', reason: 'first' }]);
    await eventually(() => lines.length === 2);
    expect(lines[1]).toMatchObject({ level: 'warn', msg: 'no connection', reason: 'third', repeated: 2 });
  });

  it('is logged at once again after a window without it', async () => {
    const { lines, logger } = limited(5);
    logger.warn({ reason: 'first outage' }, 'no connection');
    await eventually(() => {
      logger.warn({ reason: 'next outage' }, 'probe');
      return lines.filter(({ msg }) => msg === 'probe').length > 2;
    });
    logger.warn({ reason: 'next outage' }, 'no connection');
    const outages = lines.filter(({ msg }) => msg === 'no connection');
    expect(outages).toMatchObject([{ reason: 'first outage' }, { reason: 'next outage' }]);
    expect(outages[1]).not.toHaveProperty('repeated');
  });

  it('does not limit other events', () => {
    const { lines, logger } = limited(60_000);
    logger.warn({}, 'one');
    logger.warn({}, 'two');
    expect(lines.map(({ msg }) => msg)).toEqual(['one', 'two']);
  });

  it('is limited together with other lines of its cause', () => {
    const { lines, logger } = limited(60_000);
    logger.warn({}, 'failed', 'failed: no connection');
    logger.warn({}, 'failed', 'failed: no connection');
    logger.warn({}, 'failed', 'failed: no room');
    expect(lines).toHaveLength(2);
  });

  it('is counted together with others beyond 100 events', () => {
    const { lines, logger } = limited(60_000);
    for (let number = 0; number < 1_000; number += 1) logger.warn({}, `event ${String(number)}`);
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)?.msg).toBe('further repeated events');
  });

  it('has the fields of its own call, also when another call logged the first line', async () => {
    const { lines, logger } = limited(20);
    for (const workflowId of ['first', 'second'])
      logContext.run({ workflowId }, () => logger.warn({}, 'turn failed'));
    await eventually(() => lines.length === 2);
    expect(lines.map(({ workflowId }) => workflowId)).toEqual(['first', 'second']);
  });

  it('is not counted below the log level', () => {
    const { lines, logger } = limited(60_000, 'warn');
    logger.info({}, 'event');
    expect(lines).toEqual([]);
  });
});
