/** One scrape of a process's metrics. */
export interface Scrape {
  readonly text: string;
  /** Values by series, for instance `steward_jobs{kind="cascade",status="pending"}`. */
  readonly series: ReadonlyMap<string, number>;
  /** Returns the value of a series. Throws when it is missing. */
  readonly value: (series: string) => number;
}

/** Reads `/metrics` of a local process. */
export async function scrape(port: number): Promise<Scrape> {
  const response = await fetch(`http://127.0.0.1:${String(port)}/metrics`);
  if (response.status !== 200) throw new Error(`HTTP status ${String(response.status)}`);
  const text = await response.text();
  const series = seriesOf(text);
  return {
    text,
    series,
    value: (name) => {
      const value = series.get(name);
      if (value === undefined) throw new Error(`No series ${name}.`);
      return value;
    },
  };
}

/** Returns the values of a scrape by series. */
export function seriesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}
