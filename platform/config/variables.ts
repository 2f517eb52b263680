import { credentialVariables } from './variables/credentials.ts';
import { deliveryVariables } from './variables/delivery.ts';
import { limitVariables } from './variables/limits.ts';
import { observabilityVariables } from './variables/observability.ts';
import { outboundVariables } from './variables/outbound.ts';
import { serverVariables } from './variables/server.ts';
import type { Variable } from './variable.ts';

const table = {
  ...serverVariables,
  ...credentialVariables,
  ...outboundVariables,
  ...limitVariables,
  ...deliveryVariables,
  ...observabilityVariables,
};

export type VariableName = keyof typeof table;

type Values = {
  readonly [Name in VariableName]: Exclude<ReturnType<(typeof table)[Name]['parse']>, undefined>;
};

/** The parsed type of a variable. */
export type VariableValue<Name extends VariableName> = Values[Name];

/** A variable that has a value in every program, also where it is unset. */
export type NameWithFallback = {
  [Name in VariableName]: (typeof table)[Name] extends { readonly fallback: string } ? Name : never;
}[VariableName];

/** Every variable that Steward reads. `npm run config` and docs/configuration.md are generated from this table. */
export const variables: { readonly [Name in VariableName]: Variable<Values[Name]> } = table;
