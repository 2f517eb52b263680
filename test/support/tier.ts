/** Whether this is `npm run test:long`, in which tests run at full size. */
export const inFull = process.env['STEWARD_LONG_TESTS'] === 'on';
