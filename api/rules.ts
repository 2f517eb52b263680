import type { z } from 'zod';

type Rule = (data: object, context: z.core.$RefinementCtx) => void;

const sent = (data: object, member: string): boolean =>
  (data as Record<string, unknown>)[member] !== undefined;

/** At most one of two members. */
export const exclude =
  (member: string, other: string): Rule =>
  (data, context) => {
    if (sent(data, member) && sent(data, other)) {
      context.addIssue({ code: 'custom', path: [member], message: `<m> and ${other} exclude each other.` });
    }
  };

/** At least one of several members; the text is the answer's message. */
export const atLeastOne =
  (members: readonly string[], text: string): Rule =>
  (data, context) => {
    if (!members.some((member) => sent(data, member))) context.addIssue({ code: 'custom', message: text });
  };

/** A switch that is on, and another member that it makes senseless. A member that is switched off counts as absent. */
export const flagExcludes =
  (flag: string, other: string): Rule =>
  (data, context) => {
    const value = (data as Record<string, unknown>)[other];
    if ((data as Record<string, unknown>)[flag] === true && value !== undefined && value !== false) {
      context.addIssue({ code: 'custom', path: [flag], message: `<m> and ${other} exclude each other.` });
    }
  };
