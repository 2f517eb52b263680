/** A regular expression of the product that sees input. */
export interface AppliedExpression {
  readonly file: string;
  readonly expression: RegExp;
  /** The reason why its time is linear in its input. */
  readonly linear: string;
  /** Additional prefixes or units of texts that the expression matches far before it fails. */
  readonly heads?: readonly string[];
  readonly units?: readonly string[];
}
