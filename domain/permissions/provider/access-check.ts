/** One user and one resource, in the form in which the provider is asked. */
export interface AccessCheck {
  readonly userId: string;
  readonly resource: {
    readonly id: string;
    readonly type: string;
    readonly organizationId: string;
    /** Absent at the top. */
    readonly parentFolderId?: string;
  };
}

/** An answer belongs to a question exactly when this text is the same. */
export const accessCheckKey = ({ userId, resource: { id, type, organizationId } }: AccessCheck): string =>
  JSON.stringify([userId, type, organizationId, id]);

/** Questions that one request of the provider holds. */
const maxQuestions = 500;
/** Bytes of them: an answer repeats the ids of its question and may be a mebibyte long. */
const maxBytes = 262_144;

/** Requests that each hold as many questions as they may. */
export function batchesOf<Question extends AccessCheck>(questions: readonly Question[]): Question[][] {
  const batches: Question[][] = [];
  let bytes = 0;
  for (const question of questions) {
    const size = Buffer.byteLength(accessCheckKey(question));
    const last = batches.at(-1);
    if (last === undefined || last.length === maxQuestions || bytes + size > maxBytes) {
      batches.push([question]);
      bytes = size;
    } else {
      last.push(question);
      bytes += size;
    }
  }
  return batches;
}
