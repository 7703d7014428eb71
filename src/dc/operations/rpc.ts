import type { DescMethodUnary, MessageShape } from "@bufbuild/protobuf";
import type { Topology } from "#dc/analysis/topology.ts";
import type { Caller, DcContext } from "#dc/context.ts";
import type { DcReader, DcWriter } from "#dc/ports.ts";
import type { CooperativeScheduler } from "./answers/cooperative_scheduler.ts";
import type { Changes } from "./writes/changes.ts";

/** Input of a read: one snapshot of the database. */
export interface ReadSession {
  readonly context: DcContext;
  readonly reader: DcReader;
  /** Yields to other calls between steps, and stops the read after an abort. */
  readonly scheduler: CooperativeScheduler;
  /** The inventory's graphs of this snapshot, built once per revision. */
  readonly topology: () => Promise<Topology>;
  /** The same with recorded draws, whatever loads the request asks for. */
  readonly recorded: () => Promise<Topology>;
  /** The same with the loads after every single loss, for health and load findings. Costs more after a change. */
  readonly judgedTopology: () => Promise<Topology>;
  /** Of the draw of each consumer, what meters say, in watts, by node of the topology; undefined unless it was asked for. */
  readonly measuredW?: () => Promise<ReadonlyMap<number, number> | undefined>;
  /** Time of the call, ISO 8601 in UTC. */
  readonly now: string;
  /** Limits how long the reply may be cached: until this time, in milliseconds since 1970. */
  readonly lapsesAt: (moment: number) => void;
}

/** Input of a write: one transaction, and the changes that it appends to the log. */
export interface WriteSession {
  readonly context: DcContext;
  readonly caller: Caller;
  readonly writer: DcWriter;
  readonly changes: Changes;
  /** Time of the write, ISO 8601 in UTC, the same for the whole transaction. */
  readonly now: string;
}

interface Definition<Method extends DescMethodUnary> {
  readonly method: Method;
}

/** A query. Replies are cached per revision and shared by all principals. */
export interface ReadRpc<Method extends DescMethodUnary = DescMethodUnary> extends Definition<Method> {
  readonly effect: "read";
  /** Whether a server answers a request again after each change before the next one asks; never by default. */
  readonly staysCurrent?: (request: MessageShape<Method["input"]>) => boolean;
  /** Whether new readings change the reply to a request; never by default. */
  readonly takesReadings?: (request: MessageShape<Method["input"]>) => boolean;
  /** Its reply changes without the inventory, so that none is kept or shared. */
  readonly isReadAnew?: true;
  run(session: ReadSession, request: MessageShape<Method["input"]>): Promise<MessageShape<Method["output"]>>;
}

export interface WriteRpc<Method extends DescMethodUnary = DescMethodUnary> extends Definition<Method> {
  readonly effect: "write";
  run(session: WriteSession, request: MessageShape<Method["input"]>): Promise<MessageShape<Method["output"]>>;
}

/** Input of a preview: a draft, which is never stored, and the inventory's graphs from before it. */
export interface PreviewSession extends WriteSession {
  /** Revision of the inventory that the draft began with. */
  readonly revision: number;
  /** It is shared with reads. The loads after every single loss are there for the work behind the draft alone. */
  readonly topology: Topology;
}

/** Works a reply out once the draft is dropped. */
export type Previewed<Method extends DescMethodUnary> = (
  scheduler: CooperativeScheduler,
) => Promise<MessageShape<Method["output"]>>;

/**
 * A question about changes: `run` makes them in a draft, and takes from it what the reply needs. It asks for
 * the role of a writer, since it tries what only a writer may do.
 */
export interface PreviewRpc<Method extends DescMethodUnary = DescMethodUnary> extends Definition<Method> {
  readonly effect: "preview";
  run(session: PreviewSession, request: MessageShape<Method["input"]>): Promise<Previewed<Method>>;
}

/** Input of a report: it writes in separate transactions, without the change log. */
export interface ReportSession {
  readonly context: DcContext;
  readonly caller: Caller;
  /** Time of the call, in milliseconds since 1970. */
  readonly now: number;
}

/** A report of readings. It requires the role meter, and is idempotent. */
export interface ReportRpc<Method extends DescMethodUnary = DescMethodUnary> extends Definition<Method> {
  readonly effect: "report";
  run(session: ReportSession, request: MessageShape<Method["input"]>): Promise<MessageShape<Method["output"]>>;
}

/** One RPC: its proto method, its effect and its behaviour. Every interface, role check and metric follows from it. */
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
