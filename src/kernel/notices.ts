type Listener = (sentence: string) => void;

let listener: Listener | null = null;

/** Sets the function that prints notices. Each interface sets it at its start, in the form that its readers need. */
export function setNoticeListener(next: Listener): void {
  listener = next;
}

/** Reports a sentence beside a call's result, for modules that know no interface. Without a listener it is dropped. */
export function reportNotice(sentence: string): void {
  listener?.(sentence);
}
