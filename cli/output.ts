import { visibleText } from './visible-text.ts';

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

/** Prints the output of a command. As JSON, a stream is `{text}`, held in memory. */
export async function print(output: Output | StreamedOutput, asJson: boolean, write: Write): Promise<void> {
  if (!('stream' in output)) {
    const text = asJson ? JSON.stringify(output.json, undefined, 2) : output.lines.join('\n');
    await write(`${text.trimEnd()}\n`);
  } else if (asJson) {
    let text = '';
    for await (const part of textsOf(output.stream)) text += part;
    await write(`${JSON.stringify({ text }, undefined, 2)}\n`);
  } else {
    for await (const text of textsOf(output.stream)) await write(text);
  }
}

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
