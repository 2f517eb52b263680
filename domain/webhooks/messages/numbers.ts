/** The name that a column's number stands for. */
export function nameOf<Name extends string>(numbers: Readonly<Record<Name, number>>, number: number): Name {
  const name = (Object.keys(numbers) as Name[]).find((one) => numbers[one] === number);
  if (name === undefined) throw new Error(`Nothing has the number ${String(number)}.`);
  return name;
}
