import type { ReactNode } from 'react';
import { wordsOf } from './words.ts';

export const totalOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Counts by kind as bars, longest first; kinds without a record are left out. */
export function Counts({ counts }: { readonly counts: Readonly<Record<string, number>> }): ReactNode {
  const shown = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([, one], [, other]) => other - one);
  if (shown.length === 0) return <p className="quiet">No records yet.</p>;
  const max = shown[0]?.[1] ?? 1;
  return (
    <table className="bars">
      <caption>Records by kind</caption>
      <tbody>
        {shown.map(([kind, count]) => (
          <tr key={kind}>
            <th scope="row">{wordsOf(kind)}</th>
            <td className="number">{new Intl.NumberFormat('en').format(count)}</td>
            <td aria-hidden="true" className="bar">
              <meter min={0} max={max} value={count} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
