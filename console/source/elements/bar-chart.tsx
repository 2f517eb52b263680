import { useId, type ReactNode } from 'react';
import { Time } from './time.tsx';
import { titleOf } from './words.ts';

/** One period: a total, and how much of it is marked. */
export interface Bar {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly total: number;
  readonly marked: number;
}

const [width, height] = [720, 140];

/** Bars of a count over time. The marked part is hatched, so that it does not depend on color; a table has the same values. */
export function BarChart({
  title,
  names,
  bars,
}: {
  readonly title: string;
  readonly names: readonly [total: string, marked: string];
  readonly bars: readonly Bar[];
}): ReactNode {
  const id = useId();
  const busiest = Math.max(0, ...bars.map(({ total }) => total));
  const max = Math.max(1, busiest);
  const step = width / Math.max(1, bars.length);
  const shown = new Intl.NumberFormat('en');
  const sum = (part: 'total' | 'marked'): string =>
    shown.format(bars.reduce((all, bar) => all + bar[part], 0));
  return (
    <figure className="chart">
      <figcaption>
        <strong>{title}</strong>{' '}
        <span className="quiet">
          {sum('total')} {names[0]}, {sum('marked')} with {names[1]}, at most {shown.format(busiest)}{' '}
          {names[0]} in an hour
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${String(width)} ${String(height)}`} aria-hidden="true" preserveAspectRatio="none">
        <defs>
          <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="5" height="5" className="marked" />
            <rect width="2" height="5" className="hatch" />
          </pattern>
        </defs>
        {bars.map(({ at, total, marked }, index) => {
          const column = { x: index * step + step * 0.1, width: step * 0.8 };
          const [whole, part] = [(total / max) * height, (marked / max) * height];
          return (
            <g key={at}>
              <rect {...column} y={height - whole} height={whole} className="total" />
              <rect {...column} y={height - part} height={part} fill={`url(#${id})`} />
            </g>
          );
        })}
      </svg>
      {bars.length > 0 && (
        <p className="axis quiet" aria-hidden="true">
          <Time at={bars[0]?.at} />
          <Time at={bars.at(-1)?.at} />
        </p>
      )}
      <details>
        <summary>As a table</summary>
        <table className="bars">
          <thead>
            <tr>
              <th scope="col">Hour</th>
              <th scope="col">{titleOf(names[0])}</th>
              <th scope="col">{titleOf(names[1])}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map(({ at, total, marked }) => (
              <tr key={at}>
                <th scope="row">
                  <Time at={at} />
                </th>
                <td className="number">{shown.format(total)}</td>
                <td className="number">{shown.format(marked)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
