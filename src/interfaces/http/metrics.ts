import type { FinishedCall } from "#dc/context.ts";
import type { QueueUse } from "#dc/ports.ts";
import { markCallCounted } from "../connect/errors.ts";

/** Upper bounds of histogram durations in seconds. Our choice: single reads take 5 ms, whole pages 20 to 400 ms. */
const DURATION_BOUNDS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** The finished calls of one method over one interface, and their durations. */
interface MethodCalls {
  readonly labels: string;
  readonly outcomes: Map<string, number>;
  /** Number of calls by duration: at most the bound at the same index, and longer than the previous bound. */
  readonly counts: number[];
  calls: number;
  seconds: number;
}

/** Facts about the process, in base units. */
export interface ProcessFacts {
  readonly version: string;
  /** Commit of the build. */
  readonly commit?: string;
  readonly engine?: string;
  /** Start time in seconds since 1970. */
  readonly startTimeS: number;
  readonly cpuSeconds: number;
  readonly residentMemoryBytes: number;
  /** Absent if the operating system does not report it. */
  readonly openFds?: number | undefined;
  /** End of the certificate that is served, in seconds since 1970; absent without TLS. */
  readonly certificateEndS?: number | undefined;
  /** Number of open streams of the change log. */
  readonly openStreams?: number;
  readonly database?: DatabaseFacts;
  /** Metrics of the inventory, its windows and its readings; absent before they were first read. */
  readonly inventory?: readonly GaugeFamily[];
}

/** Facts from the database. The inventory's numbers are absent if the database does not answer. */
export interface DatabaseFacts {
  readonly up: boolean;
  readonly revision?: number;
  /** Sequence number of the last entry of the change log. */
  readonly changeLogSeq?: number;
  readonly deadLettersKept?: number;
  readonly use: Readonly<Record<"read" | "write", QueueUse>>;
}

/** Counts finished calls. Labels are fixed sets: methods, interfaces and outcomes. Source: docs/decisions.md#d-11. */
export class Metrics {
  /** Finished calls, by method and interface. */
  readonly #calls = new Map<string, Map<string, MethodCalls>>();
  #deadLetters = 0;
  #refusedCredentials = 0;

  /** Counts one finished call. */
  observe({ method, interface: interfaceName, outcome, seconds }: FinishedCall): void {
    markCallCounted();
    const calls = this.#getMethodCalls(method, interfaceName);
    calls.outcomes.set(outcome, (calls.outcomes.get(outcome) ?? 0) + 1);
    const place = DURATION_BOUNDS_S.findIndex((bound) => seconds <= bound);
    if (place >= 0) calls.counts[place] = (calls.counts[place] ?? 0) + 1;
    calls.calls++;
    calls.seconds += seconds;
  }

  #getMethodCalls(method: string, interfaceName: string): MethodCalls {
    let byInterface = this.#calls.get(method);
    if (byInterface === undefined) {
      byInterface = new Map();
      this.#calls.set(method, byInterface);
    }
    let calls = byInterface.get(interfaceName);
    if (calls === undefined) {
      const labels = `method="${method}",interface="${interfaceName}"`;
      calls = { labels, outcomes: new Map(), counts: DURATION_BOUNDS_S.map(() => 0), calls: 0, seconds: 0 };
      byInterface.set(interfaceName, calls);
    }
    return calls;
  }

  /** Counts events of a change feed that were stored as dead letters. */
  countDeadLetters(count: number): void {
    this.#deadLetters += count;
  }

  /** Counts a refused token. */
  countRefusedCredentials(): void {
    this.#refusedCredentials++;
  }

  /** Returns all metrics as text. */
  formatMetrics(format: MetricFormat, facts: ProcessFacts): string {
    const calls = [...this.#calls.values()].flatMap((byInterface) => [...byInterface.values()]);
    const lines = [
      ...formatFamily(format, "planner_dc_calls", "counter", "Finished calls by method, interface and outcome."),
      ...calls.flatMap(formatOutcomes),
      ...formatFamily(format, "planner_dc_call_duration_seconds", "histogram", "Duration of calls inside the service."),
      ...calls.flatMap(formatHistogram),
      ...formatCounter(
        format,
        "planner_dc_dead_letters",
        "Events of change feeds that could not be understood.",
        this.#deadLetters,
      ),
      ...formatCounter(
        format,
        "planner_dc_refused_credentials",
        "Calls with an invalid token.",
        this.#refusedCredentials,
      ),
      ...(facts.database === undefined ? [] : formatDatabaseMetrics(format, facts.database)),
      ...(facts.inventory ?? []).flatMap((one) => formatGaugeFamily(format, one)),
      ...formatGauge(
        format,
        "planner_dc_tls_certificate_end_timestamp_seconds",
        "End of the certificate, in seconds since 1970.",
        facts.certificateEndS,
      ),
      ...formatFamily(format, "planner_dc_build_info", "gauge", "The running program; always 1."),
      `planner_dc_build_info{${listBuildInfoLabels(facts)}} 1`,
      ...formatCounter(format, "process_cpu_seconds", "Processor time that the process has used.", facts.cpuSeconds),
      ...formatGauge(
        format,
        "process_resident_memory_bytes",
        "Memory that the process holds.",
        facts.residentMemoryBytes,
      ),
      ...formatGauge(format, "planner_dc_change_streams", "Open streams of changes.", facts.openStreams),
      ...formatGauge(format, "process_open_fds", "Open files and connections of the process.", facts.openFds),
      ...formatGauge(
        format,
        "process_start_time_seconds",
        "Start of the process, in seconds since 1970.",
        facts.startTimeS,
      ),
    ];
    return `${lines.join("\n")}\n${format === "openMetrics" ? "# EOF\n" : ""}`;
  }
}

function formatDatabaseMetrics(format: MetricFormat, { up, use, ...told }: DatabaseFacts): readonly string[] {
  const effects = ["read", "write"] as const;
  const formatPerEffect = (name: string, help: string, of: (one: QueueUse) => number) => [
    ...formatFamily(format, name, "gauge", help),
    ...effects.map((effect) => `${name}{effect="${effect}"} ${of(use[effect])}`),
  ];
  return [
    ...formatGauge(format, "planner_dc_database_up", "Whether the database answers: 1, or 0.", up ? 1 : 0),
    ...formatGauge(
      format,
      "planner_dc_revision",
      "Revision of the inventory; every committed change raises it.",
      told.revision,
    ),
    ...formatGauge(format, "planner_dc_change_log_head_seq", "Last entry of the change log.", told.changeLogSeq),
    ...formatGauge(
      format,
      "planner_dc_dead_letters_kept",
      "Dead letters: events that wait for an operator.",
      told.deadLettersKept,
    ),
    ...formatPerEffect(
      "planner_dc_transactions_running",
      "Transactions that hold a connection.",
      ({ running }) => running,
    ),
    ...formatPerEffect(
      "planner_dc_transactions_waiting",
      "Transactions that wait for a connection.",
      ({ waiting }) => waiting,
    ),
    ...formatPerEffect("planner_dc_transactions_limit", "Transactions that may run at once.", ({ limit }) => limit),
  ];
}

function listBuildInfoLabels({ version, commit = "", engine = "" }: ProcessFacts): string {
  const labels = Object.entries({ version, commit, engine }).filter(([, value]) => value !== "");
  return labels.map(([name, value]) => `${name}="${value}"`).join();
}

function formatOutcomes({ labels, outcomes }: MethodCalls): readonly string[] {
  return [...outcomes].map(([outcome, count]) => `planner_dc_calls_total{${labels},outcome="${outcome}"} ${count}`);
}

function formatHistogram({ labels, counts, calls, seconds }: MethodCalls): readonly string[] {
  const name = "planner_dc_call_duration_seconds";
  let sum = 0;
  const buckets = DURATION_BOUNDS_S.map((bound, place) => {
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

function formatCounter(format: MetricFormat, name: string, help: string, value: number): readonly string[] {
  return [...formatFamily(format, name, "counter", help), `${name}_total ${value}`];
}

/** Formats a gauge; returns no lines for an unknown value. */
function formatGauge(format: MetricFormat, name: string, help: string, value: number | undefined): readonly string[] {
  return value === undefined ? [] : [...formatFamily(format, name, "gauge", help), `${name} ${value}`];
}

const UNIT_SUFFIX_PATTERN = /_(seconds|bytes)$/;

// OpenMetrics names a counter's family without the suffix of its samples, Prometheus' text with it; only
// OpenMetrics states units.
function formatFamily(format: MetricFormat, name: string, type: FamilyType, help: string): readonly string[] {
  const full = format === "prometheus" && type === "counter" ? `${name}_total` : name;
  const unit = format === "openMetrics" ? UNIT_SUFFIX_PATTERN.exec(name)?.[1] : undefined;
  return [
    `# HELP ${full} ${help}`,
    `# TYPE ${full} ${type}`,
    ...(unit === undefined ? [] : [`# UNIT ${full} ${unit}`]),
  ];
}

/** Formats gauges with labels; returns no lines for a family without values. */
function formatGaugeFamily(format: MetricFormat, { name, help, samples }: GaugeFamily): readonly string[] {
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
