import type { DescMethodUnary, MessageShape } from "@bufbuild/protobuf";
import type { Topology } from "#dc/analysis/topology.ts";
import type { Caller, DcContext } from "#dc/context.ts";
import type { DcReader, DcWriter } from "#dc/ports.ts";
import type { CooperativeScheduler } from "./answers/cooperative_scheduler.ts";
import type { ChangeRecorder } from "./writes/changes.ts";

/** Input of a read: one snapshot of the database. */
export interface ReadSession {
  readonly context: DcContext;
  readonly reader: DcReader;
  /** Yields to other calls between steps, and stops the read after an abort. */
  readonly scheduler: CooperativeScheduler;
  /**
   * Returns the inventory's graphs: `judged` with the loads after every single loss, which health and load findings
   * need and which cost more after a change; `recorded` with recorded draws even if the request asks for other loads.
   */
  readonly topology: (how?: "judged" | "recorded") => Promise<Topology>;
  /** Measured draw of each consumer in watts by topology node; undefined unless a request asks for measured loads. */
  readonly measuredW?: () => Promise<ReadonlyMap<number, number> | undefined>;
  /** Time at which the call arrived, ISO 8601 in UTC. */
  readonly now: string;
  /** Limits how long the reply may be cached: until this time, in milliseconds since 1970. */
  readonly lapsesAt: (moment: number) => void;
}

/** Input of a write: one transaction, and the changes that it appends to the log. */
export interface WriteSession {
  readonly context: DcContext;
  readonly caller: Caller;
  readonly writer: DcWriter;
  readonly changes: ChangeRecorder;
  /** Time of the write, ISO 8601 in UTC, the same for the whole transaction. */
  readonly now: string;
}

interface RpcDefinition<Method extends DescMethodUnary> {
  readonly method: Method;
}

/** A query. Replies are cached per revision and shared by all principals. */
export interface ReadRpc<Method extends DescMethodUnary = DescMethodUnary> extends RpcDefinition<Method> {
  readonly effect: "read";
  /** What the reply depends on besides the inventory and the loads that the request selects. */
  readonly alsoReads?: "readings" | "notices";
  run(session: ReadSession, request: MessageShape<Method["input"]>): Promise<MessageShape<Method["output"]>>;
}

export interface WriteRpc<Method extends DescMethodUnary = DescMethodUnary> extends RpcDefinition<Method> {
  readonly effect: "write";
  run(session: WriteSession, request: MessageShape<Method["input"]>): Promise<MessageShape<Method["output"]>>;
}

/** Input of a preview: a draft, which is never stored, and the inventory's graphs from before it. */
export interface PreviewSession extends WriteSession {
  /** Revision of the inventory that the draft began with. */
  readonly revision: number;
  /** Topology that previews share with reads. It may lack the loads after every single loss. */
  readonly topology: Topology;
}

/** Function that computes a preview's reply after the draft was dropped. */
export type ReplyAfterPreview<Method extends DescMethodUnary> = (
  scheduler: CooperativeScheduler,
) => Promise<MessageShape<Method["output"]>>;

/**
 * A query about possible changes: `run` applies them in a draft and collects the data for the reply. It requires the
 * role of a writer, because it tries changes that only a writer may make.
 */
export interface PreviewRpc<Method extends DescMethodUnary = DescMethodUnary> extends RpcDefinition<Method> {
  readonly effect: "preview";
  run(session: PreviewSession, request: MessageShape<Method["input"]>): Promise<ReplyAfterPreview<Method>>;
}

/** Input of a report. A report writes in separate transactions, without the change log. */
export interface ReportSession {
  readonly context: DcContext;
  readonly caller: Caller;
  /** Time of the call, in milliseconds since 1970. */
  readonly now: number;
}

/** A report of readings. It requires the role meter, and is idempotent. */
export interface ReportRpc<Method extends DescMethodUnary = DescMethodUnary> extends RpcDefinition<Method> {
  readonly effect: "report";
  run(session: ReportSession, request: MessageShape<Method["input"]>): Promise<MessageShape<Method["output"]>>;
}

/** One RPC: proto method, effect and behaviour, from which every interface, role check and metric is derived. */
export type Rpc = ReadRpc | WriteRpc | PreviewRpc | ReportRpc;

export function defineRead<Method extends DescMethodUnary>(rpc: ReadRpc<Method>): ReadRpc<Method> {
  return rpc;
}

export function defineWrite<Method extends DescMethodUnary>(rpc: WriteRpc<Method>): WriteRpc<Method> {
  return rpc;
}

export function definePreview<Method extends DescMethodUnary>(rpc: PreviewRpc<Method>): PreviewRpc<Method> {
  return rpc;
}

export function defineReport<Method extends DescMethodUnary>(rpc: ReportRpc<Method>): ReportRpc<Method> {
  return rpc;
}
