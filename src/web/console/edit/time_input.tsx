import { moment } from "../labels.ts";
import { Segments } from "../ui/fields.tsx";

/** A moment in the reader's own time zone; it is stored in UTC. A time that the clocks show twice is asked about. */
export function TimeInput({
  common,
  label,
  value,
  set,
}: {
  readonly common: Readonly<Record<string, string | boolean>>;
  readonly label: string;
  readonly value: string;
  readonly set: (value: unknown) => void;
}) {
  const local = localOf(value);
  const readings = readingsOf(local);
  return (
    <>
      <input
        {...common}
        type="datetime-local"
        step={local.endsWith(":00") ? 60 : 1}
        value={local}
        onInput={({ currentTarget: { value: typed } }) => set(readingsOf(typed)[0] ?? (typed || undefined))}
      />
      {readings.length < 2 ? null : (
        <Segments
          label={`${label}: the clocks show this time twice`}
          value={value}
          choices={readings.map((one) => [one, moment(one)])}
          change={set}
        />
      )}
    </>
  );
}

/** A moment as the browser's control takes it, "" for none; a time that the clocks skip stays as it was typed. */
function localOf(text: string): string {
  const date = new Date(text);
  if (!text.endsWith("Z") || Number.isNaN(date.getTime())) return text;
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The moments at which the reader's clocks show a time: none where they are set forward, two where they are set back. */
export function readingsOf(local: string): readonly string[] {
  const wanted = Date.parse(`${local}Z`);
  if (Number.isNaN(wanted)) return [];
  const offsets = new Set([-DAY_MS, 0, DAY_MS].map((around) => new Date(wanted + around).getTimezoneOffset()));
  return [...offsets]
    .map((minutes) => new Date(wanted + minutes * 60_000).toISOString())
    .filter((iso) => localOf(iso).startsWith(local))
    .sort();
}
