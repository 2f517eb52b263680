/** Whether this is `npm run test:long`, in which proofs take their full size. */
export const inFull = process.env['STEWARD_LONG_TESTS'] === 'on';
