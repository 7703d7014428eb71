import { useEffect, useState } from "preact/hooks";

/** A value that follows another once that has rested for a while, so that typing asks no question per letter. */
export function useDelayed<Value>(value: Value, milliseconds: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
