/** Whether this is `npm run test:long`, in which tests run at full size. */
export const inFull = process.env['STEWARD_LONG_TESTS'] === 'on';

/** Random cases of a property: all of them in `npm run test:long`, a sixth in `npm test`. */
export const casesOf = (number: number): number => (inFull ? number : Math.ceil(number / 6));
