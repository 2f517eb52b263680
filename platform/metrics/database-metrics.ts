import type { Registry } from 'prom-client';
import type { Database } from '../database/open-database.ts';
import { addCounter, addGauge } from './scraped-metrics.ts';

/** Adds the use of a process's connections, and its statements that PostgreSQL plans at each execution. */
export function addDatabaseMetrics(registry: Registry, { connections, unnamedStatements }: Database): void {
  addGauge(
    registry,
    {
      name: 'steward_database_connections',
      help: 'Open connections of the pool.',
      labelNames: ['status'],
    },
    () => {
      const { inUse, idle } = connections();
      return [
        { labels: { status: 'in_use' }, value: inUse },
        { labels: { status: 'idle' }, value: idle },
      ];
    },
  );
  addGauge(
    registry,
    { name: 'steward_database_connections_max', help: 'Max connections of the pool.' },
    () => [{ value: connections().max }],
  );
  addGauge(
    registry,
    {
      name: 'steward_database_connections_waiting',
      help: 'Statements and transactions that wait for a connection of the pool.',
    },
    () => [{ value: connections().waiting }],
  );
  addCounter(
    registry,
    {
      name: 'steward_database_unnamed_statements_total',
      help: 'Statements with parameters sent without a name, which PostgreSQL plans at each execution.',
    },
    () => [{ value: unnamedStatements() }],
  );
}
