import { noticeRestore as notice } from '../domain/restores/epochs.ts';
import type { Dependencies } from './dependencies.ts';

/** Detects that the database was restored: begins an epoch of webhook sequences, and logs it. */
export async function noticeRestore({ orm, logger }: Pick<Dependencies, 'orm' | 'logger'>): Promise<void> {
  const epoch = await notice(orm.em.fork());
  if (epoch !== undefined) logRestore(logger, epoch);
}

export const logRestore = (logger: Dependencies['logger'], epoch: string): void =>
  logger.warn({ epoch }, 'restore detected');
