/** A moment in the reader's own time zone; it is stored in UTC. */
export function TimeInput({
  common,
  value,
  set,
}: {
  readonly common: Readonly<Record<string, string | boolean>>;
  readonly value: string;
  readonly set: (value: unknown) => void;
}) {
  return (
    <input
      {...common}
      type="datetime-local"
      step={1}
      value={localOf(value)}
      onInput={({ currentTarget }) => set(utcOf(currentTarget.value))}
    />
  );
}

/** A moment as the browser's control takes it; "" for none. */
function localOf(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

function utcOf(local: string): string | undefined {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
