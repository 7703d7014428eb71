import type { FinishedCall } from "#dc/context.ts";
import type { QueueUse } from "#dc/ports.ts";
import { markCounted } from "#interfaces/connect/call_accounting.ts";
import { counter, family, type GaugeFamily, gauge, gauges, type MetricFormat } from "./metric_text.ts";

/** Upper bounds of the durations, in seconds. Source: scale target 12: single reads 5 ms, screens 20 to 400 ms. */
const BOUNDS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Finished calls of one method over one interface. */
interface Calls {
  readonly labels: string;
  readonly outcomes: Map<string, number>;
  /** How many calls took no longer than the bound of the same place, and longer than the one before. */
  readonly counts: number[];
  calls: number;
  seconds: number;
}

/** What the process says of itself, in base units. */
export interface ProcessFacts {
  readonly version: string;
  /** Commit of the build, and the JavaScript runtime that runs it. */
  readonly commit?: string;
  readonly engine?: string;
  /** Seconds since 1970. */
  readonly startTimeS: number;
  readonly cpuSeconds: number;
  readonly residentMemoryBytes: number;
  /** Absent if the operating system does not report it. */
  readonly openFds?: number | undefined;
  /** End of the certificate that is served, in seconds since 1970; absent without TLS. */
  readonly certificateEndS?: number | undefined;
  /** Readers of the change log that are connected. */
  readonly openStreams?: number;
  readonly database?: DatabaseFacts;
  /** Figures of the inventory, its windows and its readings; those that were not read yet are absent. */
  readonly inventory?: readonly GaugeFamily[];
}

/** Facts from the database. The inventory's numbers are absent if the database does not answer. */
export interface DatabaseFacts {
  readonly up: boolean;
  readonly revision?: number;
  /** The last entry of the change log. */
  readonly changeLogSeq?: number;
  readonly deadLettersKept?: number;
  readonly use: Readonly<Record<"read" | "write", QueueUse>>;
}

/**
 * Counts finished calls. Labels have few values: methods, interfaces and outcomes are fixed sets.
 * Source: docs/decisions.md#d-11.
 */
export class Metrics {
  /** By method and interface. */
  readonly #calls = new Map<string, Map<string, Calls>>();
  #deadLetters = 0;
  #refusedCredentials = 0;

  /** Takes note of one call. */
  observe({ method, interface: interfaceName, outcome, seconds }: FinishedCall): void {
    markCounted();
    const calls = this.#callsOf(method, interfaceName);
    calls.outcomes.set(outcome, (calls.outcomes.get(outcome) ?? 0) + 1);
    const place = BOUNDS_S.findIndex((bound) => seconds <= bound);
    if (place >= 0) calls.counts[place] = (calls.counts[place] ?? 0) + 1;
    calls.calls++;
    calls.seconds += seconds;
  }

  #callsOf(method: string, interfaceName: string): Calls {
    let byInterface = this.#calls.get(method);
    if (byInterface === undefined) {
      byInterface = new Map();
      this.#calls.set(method, byInterface);
    }
    let calls = byInterface.get(interfaceName);
    if (calls === undefined) {
      const labels = `method="${method}",interface="${interfaceName}"`;
      calls = { labels, outcomes: new Map(), counts: BOUNDS_S.map(() => 0), calls: 0, seconds: 0 };
      byInterface.set(interfaceName, calls);
    }
    return calls;
  }

  /** Takes note of events of a change feed that were kept aside. */
  countDeadLetters(count: number): void {
    this.#deadLetters += count;
  }

  /** Takes note of a token that opened nothing. */
  countRefusedCredentials(): void {
    this.#refusedCredentials++;
  }

  /** Everything as text. */
  text(format: MetricFormat, facts: ProcessFacts): string {
    const calls = [...this.#calls.values()].flatMap((byInterface) => [...byInterface.values()]);
    const lines = [
      ...family(format, "planner_dc_calls", "counter", "Finished calls by method, interface and outcome."),
      ...calls.flatMap(outcomeLines),
      ...family(format, "planner_dc_call_duration_seconds", "histogram", "Duration of calls inside the service."),
      ...calls.flatMap(histogram),
      ...counter(
        format,
        "planner_dc_dead_letters",
        "Events of change feeds that could not be understood.",
        this.#deadLetters,
      ),
      ...counter(format, "planner_dc_refused_credentials", "Calls with an invalid token.", this.#refusedCredentials),
      ...(facts.database === undefined ? [] : databaseLines(format, facts.database)),
      ...(facts.inventory ?? []).flatMap((one) => gauges(format, one)),
      ...gauge(
        format,
        "planner_dc_tls_certificate_end_timestamp_seconds",
        "End of the certificate, in seconds since 1970.",
        facts.certificateEndS,
      ),
      ...family(format, "planner_dc_build_info", "gauge", "The running program; always 1."),
      `planner_dc_build_info{${buildLabels(facts)}} 1`,
      ...counter(format, "process_cpu_seconds", "Processor time that the process has used.", facts.cpuSeconds),
      ...gauge(format, "process_resident_memory_bytes", "Memory that the process holds.", facts.residentMemoryBytes),
      ...gauge(format, "planner_dc_change_streams", "Open streams of changes.", facts.openStreams),
      ...gauge(format, "process_open_fds", "Open files and connections of the process.", facts.openFds),
      ...gauge(format, "process_start_time_seconds", "Start of the process, in seconds since 1970.", facts.startTimeS),
    ];
    return `${lines.join("\n")}\n${format === "openMetrics" ? "# EOF\n" : ""}`;
  }
}

function databaseLines(format: MetricFormat, { up, use, ...told }: DatabaseFacts): readonly string[] {
  const effects = ["read", "write"] as const;
  const perEffect = (name: string, help: string, of: (one: QueueUse) => number) => [
    ...family(format, name, "gauge", help),
    ...effects.map((effect) => `${name}{effect="${effect}"} ${of(use[effect])}`),
  ];
  return [
    ...gauge(format, "planner_dc_database_up", "Whether the database answers: 1, or 0.", up ? 1 : 0),
    ...gauge(
      format,
      "planner_dc_revision",
      "Revision of the inventory; every committed change raises it.",
      told.revision,
    ),
    ...gauge(format, "planner_dc_change_log_head_seq", "Last entry of the change log.", told.changeLogSeq),
    ...gauge(
      format,
      "planner_dc_dead_letters_kept",
      "Dead letters: events that wait for an operator.",
      told.deadLettersKept,
    ),
    ...perEffect("planner_dc_transactions_running", "Transactions that hold a connection.", ({ running }) => running),
    ...perEffect(
      "planner_dc_transactions_waiting",
      "Transactions that wait for a connection.",
      ({ waiting }) => waiting,
    ),
    ...perEffect("planner_dc_transactions_limit", "Transactions that may run at once.", ({ limit }) => limit),
  ];
}

function buildLabels({ version, commit = "", engine = "" }: ProcessFacts): string {
  const labels = Object.entries({ version, commit, engine }).filter(([, value]) => value !== "");
  return labels.map(([name, value]) => `${name}="${value}"`).join();
}

function outcomeLines({ labels, outcomes }: Calls): readonly string[] {
  return [...outcomes].map(([outcome, count]) => `planner_dc_calls_total{${labels},outcome="${outcome}"} ${count}`);
}

function histogram({ labels, counts, calls, seconds }: Calls): readonly string[] {
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
