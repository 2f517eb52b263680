import { required } from '../../platform/process/required.ts';
import { timedTokens, type TokenPrefix } from '../../platform/encryption/tokens.ts';

/** For the descriptions of operations that add records. */
export const orderOfWriting =
  'Records of one call count as written in the order of the request when their ids are generated, otherwise in the ' +
  'order of their ids, by bytes.';

/** Makes a call's records, each with its id: as sent, or generated so that ids ascend in the order of the request. */
export function withIds<Sent, Input>(
  prefix: TokenPrefix,
  sent: readonly Sent[],
  idOf: (one: Sent) => string | undefined,
  inputOf: (one: Sent, id: string, index: number) => Input,
): Input[] {
  const missing = sent.filter((one) => idOf(one) === undefined).length;
  const generated = timedTokens(prefix, missing).values();
  return sent.map((one, index) =>
    inputOf(one, idOf(one) ?? required(generated.next().value, 'generated id'), index),
  );
}
