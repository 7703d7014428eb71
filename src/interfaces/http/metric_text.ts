/** Supported text formats of metrics. */
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
  readonly samples: readonly MetricSample[];
}

/** A value with its labels, which are printed in this order. Empty labels are omitted. */
export interface MetricSample {
  readonly labels?: Readonly<Record<string, string | undefined>>;
  readonly value: number;
}

export function formatCounter(format: MetricFormat, name: string, help: string, value: number): readonly string[] {
  return [...formatFamily(format, name, "counter", help), `${name}_total ${value}`];
}

/** Formats a gauge; returns no lines for an unknown value. */
export function formatGauge(
  format: MetricFormat,
  name: string,
  help: string,
  value: number | undefined,
): readonly string[] {
  return value === undefined ? [] : [...formatFamily(format, name, "gauge", help), `${name} ${value}`];
}

const UNIT_SUFFIX_PATTERN = /_(seconds|bytes)$/;

// OpenMetrics names a counter's family without the suffix of its samples, Prometheus' text with it; only
// OpenMetrics states units.
export function formatFamily(format: MetricFormat, name: string, type: FamilyType, help: string): readonly string[] {
  const full = format === "prometheus" && type === "counter" ? `${name}_total` : name;
  const unit = format === "openMetrics" ? UNIT_SUFFIX_PATTERN.exec(name)?.[1] : undefined;
  return [
    `# HELP ${full} ${help}`,
    `# TYPE ${full} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${full} ${unit}`]),
  ];
}

/** Formats gauges with labels; returns no lines for a family without values. */
export function formatGaugeFamily(format: MetricFormat, { name, help, samples }: GaugeFamily): readonly string[] {
  if (samples.length === 0) return [];
  return [
    ...formatFamily(format, name, "gauge", help),
    ...samples.map(({ labels = {}, value }) => `${name}${formatLabels(labels)} ${value}`),
  ];
}

const LABEL_ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };

function formatLabels(labels: NonNullable<MetricSample["labels"]>): string {
  const given = Object.entries(labels).flatMap(([name, value = ""]) =>
    value === "" ? [] : [`${name}="${value.replace(/[\\"\n]/g, (one) => LABEL_ESCAPES[one] ?? one)}"`],
  );
  return given.length === 0 ? "" : `{${given.join()}}`;
}
