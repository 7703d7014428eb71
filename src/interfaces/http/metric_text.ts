/** The text forms of metrics that are served. */
export const METRIC_FORMATS = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
} as const;

export type MetricFormat = keyof typeof METRIC_FORMATS;

type FamilyType = "counter" | "gauge" | "histogram";

/** A gauge with a value for each combination of labels. */
export interface GaugeFamily {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** A value with its labels, in their order. Labels without a text are left out. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string | undefined>>;
  readonly value: number;
}

export function counter(format: MetricFormat, name: string, help: string, value: number): readonly string[] {
  return [...family(format, name, "counter", help), `${name}_total ${value}`];
}

/** Omits unknown values. */
export function gauge(format: MetricFormat, name: string, help: string, value: number | undefined): readonly string[] {
  return value === undefined ? [] : [...family(format, name, "gauge", help), `${name} ${value}`];
}

const UNIT = /_(seconds|bytes)$/;

// OpenMetrics names a counter's family without the suffix of its samples, Prometheus' text with it; only
// OpenMetrics states units.
export function family(format: MetricFormat, name: string, type: FamilyType, help: string): readonly string[] {
  const full = format === "prometheus" && type === "counter" ? `${name}_total` : name;
  const unit = format === "openMetrics" ? UNIT.exec(name)?.[1] : undefined;
  return [
    `# HELP ${full} ${help}`,
    `# TYPE ${full} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${full} ${unit}`]),
  ];
}

/** Omits a family without values. */
export function gauges(format: MetricFormat, { name, help, samples }: GaugeFamily): readonly string[] {
  if (samples.length === 0) return [];
  return [
    ...family(format, name, "gauge", help),
    ...samples.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}`),
  ];
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };

function labelText(labels: NonNullable<Sample["labels"]>): string {
  const given = Object.entries(labels).flatMap(([name, value = ""]) =>
    value === "" ? [] : [`${name}="${value.replace(/[\\"\n]/g, (one) => ESCAPES[one] ?? one)}"`],
  );
  return given.length === 0 ? "" : `{${given.join()}}`;
}
