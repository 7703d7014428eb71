import { useEffect, useRef } from "preact/hooks";

/** Marks the entry of the browser's history that stands for an open dialog. */
interface DialogState {
  readonly dialog: number;
}

let last = 0;

/**
 * Lets the browser's Back close a dialog instead of leaving the page below it. A dialog that `leave` keeps open, since it
 * asks about unsaved input, takes the next Back as well.
 */
export function useBackCloses(isOpen: boolean, leave: () => void): void {
  const latest = useRef(leave);
  latest.current = leave;
  useEffect(() => {
    if (!isOpen) return;
    last += 1;
    const own: DialogState = { dialog: last };
    const isOwn = () => (history.state as DialogState | null)?.dialog === own.dialog;
    let isAlive = true;
    const follow = () => {
      if (isOwn()) return;
      const { href } = location;
      latest.current();
      setTimeout(() => isAlive && location.href === href && history.pushState(own, ""));
    };
    // A dialog that takes the place of another one takes its entry, too.
    if ((history.state as DialogState | null)?.dialog === undefined) history.pushState(own, "");
    else history.replaceState(own, "");
    addEventListener("popstate", follow);
    return () => {
      isAlive = false;
      removeEventListener("popstate", follow);
      // Later, so that a link which closed the dialog is followed and not taken back.
      setTimeout(() => isOwn() && history.back());
    };
  }, [isOpen]);
}
