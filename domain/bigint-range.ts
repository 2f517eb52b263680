/** The greatest `bigint`: no surrogate key and no time is above it. */
export const maxBigint = '9223372036854775807';

/** The least `bigint`. */
export const minBigint = '-9223372036854775808';

/** A position before every row of a list by time, then surrogate key. */
export const startOf = (order: 'asc' | 'desc'): { readonly ts: string; readonly id: string } =>
  order === 'asc' ? { ts: '-1', id: '0' } : { ts: maxBigint, id: maxBigint };
