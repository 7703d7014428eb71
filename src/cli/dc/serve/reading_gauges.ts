import type { ReadingAge } from "#dc/model/readings/reading_store.ts";
import type { GaugeFamily } from "#interfaces/http/metric_text.ts";

/** Returns how many readings there are, and when they were measured. Ages follow by subtraction from the time of a query. */
export function readingGauges(ages: readonly ReadingAge[]): readonly GaugeFamily[] {
  const by = (value: (age: ReadingAge) => number) =>
    ages.map((age) => ({ labels: { quantity: age.quantity.toLowerCase() }, value: value(age) }));
  return [
    { name: "planner_dc_readings", help: "Readings that are kept.", samples: by(({ count }) => count) },
    {
      name: "planner_dc_oldest_reading_timestamp_seconds",
      help: "When the oldest of the latest readings was measured, in seconds since 1970.",
      samples: by(({ oldest }) => oldest / 1000),
    },
    {
      name: "planner_dc_newest_reading_timestamp_seconds",
      help: "When the newest reading was measured, in seconds since 1970.",
      samples: by(({ newest }) => newest / 1000),
    },
  ];
}
