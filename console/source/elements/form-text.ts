/** The text of a field of a form as typed: white space may belong to an id. */
export function formText(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value : '';
}

/** The text of a field without white space around it: of a name, an e-mail address, a URL or a credential. */
export const trimmedText = (form: HTMLFormElement, name: string): string => formText(form, name).trim();
