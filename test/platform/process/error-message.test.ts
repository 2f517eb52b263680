import { expect, it } from '@jest/globals';
import { errorMessage } from '../../../platform/process/error-message.ts';

it.each([
  ['an error', new Error('no answer'), 'no answer'],
  ['another thrown value', 'a text', 'a text'],
  [
    'an error of several attempts without a message, by those of the attempts',
    new AggregateError([new Error('connect ::1'), new Error('connect 127.0.0.1')], ''),
    'connect ::1, connect 127.0.0.1',
  ],
  [
    'an error of several attempts with a message, by its own',
    new AggregateError([new Error('first'), new Error('second')], 'several failures'),
    'several failures',
  ],
])('describes %s', (_, thrown, message) => {
  expect(errorMessage(thrown)).toBe(message);
});
