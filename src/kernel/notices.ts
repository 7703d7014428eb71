type NoticeListener = (sentence: string) => void;

let noticeListener: NoticeListener | null = null;

/** Sets the function that prints notices. Each interface sets it at its start, in the form that its readers need. */
export function setNoticeListener(next: NoticeListener): void {
  noticeListener = next;
}

/** Reports a sentence in addition to a call's result, for modules below the interfaces. Needs a listener. */
export function reportNotice(sentence: string): void {
  noticeListener?.(sentence);
}
