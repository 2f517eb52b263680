import { Counter, Gauge, type Registry } from 'prom-client';

/** The labels of all metrics. Each has few values, none of which a caller chooses. */
export type LabelName = 'operation' | 'status' | 'kind' | 'outcome' | 'version';

/** One value of a metric. */
export interface Sample {
  readonly labels?: Readonly<Partial<Record<LabelName, string>>>;
  readonly value: number;
}

export interface MetricDescription {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly LabelName[];
}

/** Adds a gauge that is read at each scrape. Without samples, the scrape contains no series of it. */
export function addGauge(
  registry: Registry,
  metric: MetricDescription,
  read: () => readonly Sample[],
): Gauge {
  return new Gauge({
    ...described(metric),
    registers: [registry],
    collect() {
      this.reset();
      // A gauge without labels is 0 after a reset.
      if (metric.labelNames === undefined) this.remove();
      for (const { labels = {}, value } of read()) this.set(labels, value);
    },
  });
}

/** Adds a counter of a total that the process counts itself, read at each scrape. */
export function addCounter(
  registry: Registry,
  metric: MetricDescription,
  read: () => readonly Sample[],
): Counter {
  return new Counter({
    ...described(metric),
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels = {}, value } of read()) this.inc(labels, value);
    },
  });
}

const described = ({ name, help, labelNames = [] }: MetricDescription) => ({
  name,
  help,
  labelNames: [...labelNames],
});
