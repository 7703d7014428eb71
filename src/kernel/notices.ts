type Listener = (sentence: string) => void;

let listener: Listener | null = null;

/** Sets the function that prints notices. Each interface sets it at its start, in the form that its readers need. */
export function setNoticeListener(next: Listener): void {
  listener = next;
}

/**
 * Reports a sentence to the user in addition to a call's result, from modules that know no interface. Dropped if no
 * listener is set.
 */
export function reportNotice(sentence: string): void {
  listener?.(sentence);
}
