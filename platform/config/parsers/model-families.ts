import { items, type Parser } from './parser.ts';

/** Models with a common name prefix, and the provider that serves them. */
export interface ModelFamily {
  /** `gpt-` matches every model with that prefix; `o1` matches `o1` and every model with the prefix `o1-`. */
  readonly name: string;
  readonly provider: 'openai' | 'anthropic' | 'gemini';
  /** The models take the prompt and the text in one user message. */
  readonly oneMessage: boolean;
}

/** `name=provider` or `name=provider/one-message`, comma separated, names unique. */
export const modelFamilies: Parser<readonly ModelFamily[]> = {
  may: 'families such as gpt-=openai,o1=openai/one-message,claude-=anthropic, each name once',
  parse: (text) => {
    const families = items(text).map(modelFamily);
    const good = families.filter((family) => family !== undefined);
    return new Set(good.map(({ name }) => name)).size === families.length && good.length > 0
      ? good
      : undefined;
  },
};

function modelFamily(text: string): ModelFamily | undefined {
  const [, name, provider, form] =
    /^([A-Za-z0-9._:-]{1,100})=(openai|anthropic|gemini)(\/one-message)?$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name, provider: provider as ModelFamily['provider'], oneMessage: form !== undefined };
}
