import { useEffect, useState } from "preact/hooks";

/** Returns a value that was unchanged for some milliseconds, so that typing does not send a request per letter. */
export function useDelayedValue<Value>(value: Value, milliseconds: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
