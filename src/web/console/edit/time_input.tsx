import { DAY_MS, formatMoment } from "../labels.ts";
import { SegmentedChoice } from "../ui/fields.tsx";

/** Field for a time in the reader's zone, stored in UTC. If the clocks show the time twice, asks which is meant. */
export function TimeInput(props: {
  readonly common: Readonly<Record<string, string | boolean>>;
  readonly label: string;
  readonly value: string;
  readonly set: (value: unknown) => void;
}) {
  const { common, label, value, set } = props;
  const local = formatLocalInput(value);
  const utcTimes = findUtcTimes(local);
  return (
    <>
      <input
        {...common}
        type="datetime-local"
        step={local.endsWith(":00") ? 60 : 1}
        value={local}
        onInput={({ currentTarget: { value: typed } }) => set(findUtcTimes(typed)[0] ?? (typed || undefined))}
      />
      {utcTimes.length < 2 ? null : (
        <SegmentedChoice
          label={`${label}: the clocks show this time twice`}
          value={value}
          choices={utcTimes.map((one) => [one, formatMoment(one)])}
          change={set}
        />
      )}
    </>
  );
}

/** Formats a UTC time for the browser's date control; other text ("", or a time that clocks skip) stays as typed. */
function formatLocalInput(text: string): string {
  const date = new Date(text);
  if (!text.endsWith("Z") || Number.isNaN(date.getTime())) return text;
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** Returns the UTC times at which the reader's clocks show a local time: none if skipped, two if shown twice. */
export function findUtcTimes(local: string): readonly string[] {
  const wanted = Date.parse(`${local}Z`);
  if (Number.isNaN(wanted)) return [];
  const offsets = new Set([-DAY_MS, 0, DAY_MS].map((around) => new Date(wanted + around).getTimezoneOffset()));
  return [...offsets]
    .map((minutes) => new Date(wanted + minutes * 60_000).toISOString())
    .filter((iso) => formatLocalInput(iso).startsWith(local))
    .sort();
}
