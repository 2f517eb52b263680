import { items, type Parser } from './parser.ts';

/** Whole numbers; both bounds are included. */
export function wholeNumber(from: number, to: number): Parser<number> {
  return {
    may: `a whole number from ${from} to ${to}`,
    parse: (text) => {
      const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
      return number >= from && number <= to ? number : undefined;
    },
  };
}

const unitMs = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** Durations such as `0s,5s,2h`, in milliseconds. */
export const durations: Parser<readonly number[]> = {
  may: 'durations such as 500ms,5s,30m,2h,1d, comma separated',
  parse: (text) => {
    const parsed = items(text).map((duration) => {
      const [, count = '', unit = ''] = /^(\d{1,6})([a-z]+)$/.exec(duration) ?? [];
      const milliseconds = unitMs.get(unit);
      return milliseconds === undefined ? undefined : Number(count) * milliseconds;
    });
    const good = parsed.filter((duration) => duration !== undefined);
    return good.length === parsed.length && good.length > 0 ? good : undefined;
  },
};

/** One duration such as `5s`, in milliseconds; both bounds are included. */
export function duration(from: string, to: string): Parser<number> {
  const [min = NaN, max = NaN] = durations.parse(`${from},${to}`) ?? [];
  return {
    may: `a duration from ${from} to ${to}, such as 500ms, 5s or 2m`,
    parse: (text) => {
      const [parsed = NaN, ...others] = durations.parse(text) ?? [];
      return others.length === 0 && parsed >= min && parsed <= max ? parsed : undefined;
    },
  };
}

const byteUnits = new Map([
  ['', 1],
  ['KiB', 1_024],
  ['MiB', 1_048_576],
  ['GiB', 1_073_741_824],
]);

/** A number of bytes, such as `64MiB` or `67108864`; both bounds are included. */
export function byteSize(from: string, to: string): Parser<number> {
  const bytesOf = (text: string): number => {
    const [, count = '', unit = ''] = /^(\d{1,12})(KiB|MiB|GiB)?$/.exec(text) ?? [];
    return count === '' ? NaN : Number(count) * (byteUnits.get(unit) ?? NaN);
  };
  return {
    may: `a size from ${from} to ${to}, in bytes or with KiB, MiB or GiB`,
    parse: (text) => {
      const bytes = bytesOf(text);
      return bytes >= bytesOf(from) && bytes <= bytesOf(to) ? bytes : undefined;
    },
  };
}
