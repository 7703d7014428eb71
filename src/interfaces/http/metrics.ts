import type { FinishedCall } from "#dc/context.ts";

/** The text forms of metrics that are served. */
export const METRIC_FORMATS = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
} as const;

export type MetricFormat = keyof typeof METRIC_FORMATS;

/** Upper bounds of the durations, in seconds. Source: scale target 12: single reads 5 ms, screens 20 to 400 ms. */
const BOUNDS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

interface Durations {
  readonly labels: string;
  /** How many calls took no longer than the bound of the same place, and longer than the one before. */
  readonly counts: number[];
  calls: number;
  seconds: number;
}

/** What the process says of itself, in base units. */
export interface ProcessFacts {
  readonly version: string;
  /** Seconds since 1970. */
  readonly startTimeS: number;
  readonly cpuSeconds: number;
  readonly residentMemoryBytes: number;
}

type FamilyType = "counter" | "gauge" | "histogram";

/**
 * Counts finished calls. Labels have few values: methods, interfaces and outcomes are words of the contract.
 * Source: decision D-11.
 */
export class Metrics {
  readonly #calls = new Map<string, number>();
  readonly #durations = new Map<string, Durations>();
  #deadLetters = 0;

  /** Takes note of one call. */
  observe({ method, interface: door, outcome, seconds }: FinishedCall): void {
    const key = `method="${method}",interface="${door}"`;
    const labels = `${key},outcome="${outcome}"`;
    this.#calls.set(labels, (this.#calls.get(labels) ?? 0) + 1);
    let durations = this.#durations.get(key);
    if (durations === undefined) {
      durations = { labels: key, counts: BOUNDS_S.map(() => 0), calls: 0, seconds: 0 };
      this.#durations.set(key, durations);
    }
    const place = BOUNDS_S.findIndex((bound) => seconds <= bound);
    if (place >= 0) durations.counts[place] = (durations.counts[place] ?? 0) + 1;
    durations.calls++;
    durations.seconds += seconds;
  }

  /** Takes note of events of a change feed that were kept aside. */
  countDeadLetters(count: number): void {
    this.#deadLetters += count;
  }

  /** Everything as text. */
  text(format: MetricFormat, facts: ProcessFacts): string {
    const lines = [
      ...family(format, "planner_dc_calls", "counter", "Finished calls by method, interface and outcome."),
      ...[...this.#calls].map(([labels, count]) => `planner_dc_calls_total{${labels}} ${count}`),
      ...family(format, "planner_dc_call_duration_seconds", "histogram", "How long calls took inside the service."),
      ...[...this.#durations.values()].flatMap(histogram),
      ...family(format, "planner_dc_dead_letters", "counter", "Events of change feeds that could not be understood."),
      `planner_dc_dead_letters_total ${this.#deadLetters}`,
      ...family(format, "planner_dc_build_info", "gauge", "The running program; always 1."),
      `planner_dc_build_info{version="${facts.version}"} 1`,
      ...family(format, "process_cpu_seconds", "counter", "Processor time that the process has used."),
      `process_cpu_seconds_total ${facts.cpuSeconds}`,
      ...family(format, "process_resident_memory_bytes", "gauge", "Memory that the process holds."),
      `process_resident_memory_bytes ${facts.residentMemoryBytes}`,
      ...family(format, "process_start_time_seconds", "gauge", "When the process began, in seconds since 1970."),
      `process_start_time_seconds ${facts.startTimeS}`,
    ];
    return `${lines.join("\n")}\n${format === "openMetrics" ? "# EOF\n" : ""}`;
  }
}

// OpenMetrics names a counter's family without the suffix of its samples, Prometheus' own text with it.
function family(format: MetricFormat, name: string, type: FamilyType, help: string): readonly string[] {
  const full = format === "prometheus" && type === "counter" ? `${name}_total` : name;
  return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`];
}

function histogram({ labels, counts, calls, seconds }: Durations): readonly string[] {
  const name = "planner_dc_call_duration_seconds";
  let sum = 0;
  const buckets = BOUNDS_S.map((bound, place) => {
    sum += counts[place] ?? 0;
    return `${name}_bucket{${labels},le="${bound}"} ${sum}`;
  });
  return [
    ...buckets,
    `${name}_bucket{${labels},le="+Inf"} ${calls}`,
    `${name}_sum{${labels}} ${seconds}`,
    `${name}_count{${labels}} ${calls}`,
  ];
}
