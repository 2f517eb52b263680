import { escapedText, visibleText } from './visible-text.ts';

/** The output of a command, for people and for programs. */
export interface Output {
  readonly lines: readonly string[];
  readonly json: unknown;
  readonly exitCode?: number;
}

/** The output of a command that may be larger than the memory: a text in UTF-8, printed as it arrives. */
export interface StreamedOutput {
  readonly stream: ReadableStream<Uint8Array>;
}

/** Prints a text. The next one of a stream is printed after the promise, if there is one. */
export type Write = (text: string) => Promise<void> | void;

export interface PrintOptions {
  readonly asJson: boolean;
  /** Whether a terminal shows the text. In a file or a pipe, a stream is as the API sends it. */
  readonly toTerminal: boolean;
}

/** Prints the output of a command. As JSON, a stream is `{text}`, held in memory. */
export async function print(
  output: Output | StreamedOutput,
  { asJson, toTerminal }: PrintOptions,
  write: Write,
): Promise<void> {
  if (!('stream' in output)) {
    const text = asJson ? jsonText(output.json) : output.lines.join('\n');
    await write(`${text.trimEnd()}\n`);
  } else if (asJson) {
    let text = '';
    for await (const part of textsOf(output.stream)) text += part;
    await write(`${jsonText({ text })}\n`);
  } else {
    for await (const text of textsOf(output.stream)) await write(toTerminal ? escapedText(text) : text);
  }
}

const jsonText = (value: unknown): string => escapedText(JSON.stringify(value, undefined, 2));

/** The text of each chunk. A character that two chunks share is in the text of the second one. */
async function* textsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  try {
    for await (const chunk of stream) yield decoder.decode(chunk, { stream: true });
  } catch (error) {
    throw new Error('The response of the API ended early, so the output is incomplete.', { cause: error });
  }
}

/** `name: value` lines, and the same as JSON. */
export const members = (values: Readonly<Record<string, string>>): Output => ({
  lines: Object.entries(values).map(([name, value]) => `${name}: ${visibleText(value)}`),
  json: values,
});
