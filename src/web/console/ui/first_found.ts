import { useLayoutEffect, useState } from "preact/hooks";

let presses = 0;
const listeners = new Set<() => void>();

/**
 * The wish to go to the first device found, which may come before the devices are: it waits for those that answer what
 * is typed, so that Enter never leads to one that answered a part of it. Wished again meanwhile, it opens the device.
 */
export const firstFound = {
  want(): void {
    presses += 1;
    for (const listener of listeners) listener();
  },
  forget(): void {
    presses = 0;
  },
};

/** Fulfils the wish once the devices shown are `settled`. A wish ends with the page. */
export function useFirstFound(settled: boolean): void {
  const [wished, setWished] = useState(presses);
  useLayoutEffect(() => {
    const follow = () => setWished(presses);
    listeners.add(follow);
    follow();
    return () => {
      listeners.delete(follow);
      firstFound.forget();
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every wish is looked at anew
  useLayoutEffect(() => {
    if (!settled || presses === 0) return;
    const link = document.querySelector<HTMLElement>("main tbody a");
    link?.focus();
    if (presses > 1) link?.click();
    firstFound.forget();
    setWished(0);
  }, [settled, wished]);
}
