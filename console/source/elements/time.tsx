import type { ReactNode } from 'react';

const short = new Intl.DateTimeFormat('en', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const zoned = new Intl.DateTimeFormat('en', { timeZoneName: 'longOffset' });

/** The reader's zone at a time, such as `GMT+02:00`: its offset changes over the year. */
const zoneAt = (date: Date): string =>
  zoned.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ?? 'local time';

/** A time in the reader's zone. Shows the exact value, in UTC with milliseconds, on hover. */
export function Time({ at }: { readonly at: number | string | null | undefined }): ReactNode {
  if (at === null || at === undefined) return <span className="quiet">–</span>;
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const exact = date.toISOString();
  return (
    <time dateTime={exact} title={`${exact} (shown in ${zoneAt(date)})`}>
      {short.format(date)}
    </time>
  );
}

/** The expiry of a grant. The API counts it in seconds since the epoch, and every other time in milliseconds. */
export function GrantExpiry({ at }: { readonly at: number | null }): ReactNode {
  return <Time at={at === null ? null : at * 1_000} />;
}

/** "450 ms", "12 s", "3 min 20 s" or "2 h 5 min". */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${String(Math.max(0, Math.round(ms)))} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${String(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${String(minutes)} min ${String(seconds % 60)} s`;
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}
