/** Scopes of operator tokens. Each scope includes the scopes before it. */
export const operatorScopes = ['read', 'operate', 'admin'] as const;
export type OperatorScope = (typeof operatorScopes)[number];

/** The operator token of a call. */
export interface OperatorCaller {
  /** Public id (`optk_…`); `operator` for STEWARD_OPERATOR_TOKEN. */
  readonly tokenId: string;
  readonly name: string;
  readonly scope: OperatorScope;
  /** Whether the console may call operations of API keys with the token. */
  readonly actsForKeys: boolean;
}

export const scopeIncludes = (granted: OperatorScope, needed: OperatorScope): boolean =>
  operatorScopes.indexOf(granted) >= operatorScopes.indexOf(needed);
