import { useEffect, useState } from "preact/hooks";
import { describeError } from "./api.ts";

interface LoadedValue<Value> {
  /** The last loaded value, also after a failure. */
  readonly value?: Value;
  /** Message of the last failure; absent after a success. */
  readonly problem?: string;
}

/** Loads a value, and loads it again when the key changes; without a key, loads nothing. */
export function useLoadedValue<Value>(key: string | undefined, load: () => Promise<Value>): LoadedValue<Value> {
  const [loaded, setLoaded] = useState<LoadedValue<Value>>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the value
  useEffect(() => {
    if (key === undefined) return undefined;
    let isCurrent = true;
    load().then(
      (value) => isCurrent && setLoaded({ value }),
      (error: unknown) => isCurrent && setLoaded((before) => ({ ...before, problem: describeError(error) })),
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return loaded;
}
