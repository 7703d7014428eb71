type Listener = (sentence: string) => void;

let listener: Listener | null = null;

/** Sets who prints notices: each interface does at its start, in the form that its readers need. */
export function onNotice(next: Listener): void {
  listener = next;
}

/** Reports a sentence beside the result of a call, from below every interface; dropped if none listens. */
export function notice(sentence: string): void {
  listener?.(sentence);
}
