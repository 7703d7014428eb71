import { useEffect, useRef } from "preact/hooks";

/** State of the entry that an open dialog adds to the browser's history. */
interface DialogHistoryState {
  readonly dialog: number;
}

let lastDialogNumber = 0;

/**
 * Lets the browser's Back button close a dialog instead of leaving the page below it. If `leave` keeps the dialog open
 * to ask about unsaved input, the next Back is handled as well.
 */
export function useCloseOnBack(isOpen: boolean, leave: () => void): void {
  const latest = useRef(leave);
  latest.current = leave;
  useEffect(() => {
    if (!isOpen) return;
    lastDialogNumber += 1;
    const own: DialogHistoryState = { dialog: lastDialogNumber };
    const isOwn = () => (history.state as DialogHistoryState | null)?.dialog === own.dialog;
    let isAlive = true;
    const handlePopState = () => {
      if (isOwn()) return;
      const { href } = location;
      latest.current();
      setTimeout(() => isAlive && location.href === href && history.pushState(own, ""));
    };
    // A dialog that replaces another one uses the other's entry.
    if ((history.state as DialogHistoryState | null)?.dialog === undefined) history.pushState(own, "");
    else history.replaceState(own, "");
    addEventListener("popstate", handlePopState);
    return () => {
      isAlive = false;
      removeEventListener("popstate", handlePopState);
      // Runs later, so that it does not undo the navigation of a link that closed the dialog.
      setTimeout(() => isOwn() && history.back());
    };
  }, [isOpen]);
}
