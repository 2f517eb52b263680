import { namesOf } from './names-of.ts';

/** Returns the name of a number stored in a column. Throws for an unknown number. */
export function nameOfNumber<Name extends string>(
  numbers: Readonly<Record<Name, number>>,
  number: number,
): Name {
  const names = namesOf(numbers);
  const name = names.find((one) => numbers[one] === number);
  if (name === undefined) throw new Error(`Unknown number ${String(number)} for one of ${names.join(', ')}.`);
  return name;
}
