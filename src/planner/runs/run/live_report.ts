import type { NewProcessRecord, RunReport } from "#planner/run_ports/process_records.ts";
import type { RunPorts } from "#planner/run_ports/run_ports.ts";
import type { Provider } from "../../work/providers.ts";
import type { ClaimedRun } from "../run_types.ts";
import type { PartialAgentReport } from "./run_agent.ts";

/** Minimum time between two writes in milliseconds, which is also the maximum age of the stored report. */
const WRITE_INTERVAL_MS = 5_000;

/**
 * Writes the agent's report to the record of its process during the run, so that other commands can show it and it
 * survives a kill. Cost: at most one write of the record every `WRITE_INTERVAL_MS`.
 */
export class LiveRunReport {
  readonly #ports: Pick<RunPorts, "records" | "agents">;
  readonly #processId: string;
  readonly #provider: Provider;
  #version: string | null = null;
  #promptHash: string | null = null;
  #outside: readonly string[] = [];
  #agentReport: PartialAgentReport;
  #hasUnwrittenChanges = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    ports: Pick<RunPorts, "records" | "agents">,
    { processId, provider, session }: Pick<ClaimedRun, "processId" | "provider" | "session">,
  ) {
    this.#ports = ports;
    this.#processId = processId;
    this.#provider = provider;
    // A session id that planner assigns or continues is known before the agent reports one.
    this.#agentReport = { session: session?.name ?? null, usage: null, denied: [] };
  }

  get report(): RunReport {
    const { name, model } = this.#provider;
    const { session, usage, denied } = this.#agentReport;
    const [version, prompt_sha256] = [this.#version, this.#promptHash];
    return { agent: name, model, version, session, usage, denied, prompt_sha256, outside: this.#outside };
  }

  /** Writes the record of the process before its agent runs. */
  async startRecord(record: NewProcessRecord, base: string | null): Promise<void> {
    const { program, env } = this.#provider;
    this.#version = await this.#ports.agents.findVersion(program, env);
    await this.#ports.records.startRecord(record, { report: this.report, base });
  }

  /** Stores the hash of the prompt. Resolves after the write, because the agent that starts next may end planner. */
  storePromptHash(hash: string): Promise<void> {
    this.#promptHash = hash;
    this.#hasUnwrittenChanges = true;
    this.#writeReport();
    return this.#writing;
  }

  /** Updates the report. Writes a new session id at once, because without it a killed run could not be resumed. */
  updateReport(soFar: PartialAgentReport): void {
    const { usage, denied } = soFar;
    const session = soFar.session ?? this.#agentReport.session;
    const isBegun = session !== this.#agentReport.session;
    this.#agentReport = { session, usage, denied };
    this.#hasUnwrittenChanges = true;
    if (isBegun || this.#timer === undefined) this.#writeReport();
  }

  /** Sets the changes that were found outside of the run's branch. */
  setOutsideChanges(outside: readonly string[]): void {
    this.#outside = outside;
  }

  /** Returns the complete report after all writes have finished. */
  async finishReport(): Promise<RunReport> {
    this.#hasUnwrittenChanges = false;
    this.#writeReport();
    await this.#writing;
    return this.report;
  }

  #writeReport(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#hasUnwrittenChanges) return;
    this.#hasUnwrittenChanges = false;
    this.#timer = setTimeout(() => this.#writeReport(), WRITE_INTERVAL_MS);
    // The end of the run reports a failing disk.
    this.#writing = this.#writing
      .then(() => this.#ports.records.storeReport(this.#processId, this.report))
      .catch(() => {});
  }
}
