import type { MessageShape } from "@bufbuild/protobuf";
import type { Topology } from "../../../analysis/topology.ts";
import { buildOutageTopology } from "../../../analysis/window/during.ts";
import { refuse } from "../../../model/refusal.ts";
import type { ReadRpc, ReadSession } from "../../rpc.ts";
import { buildStoredTimeline } from "./judge_window.ts";
import { readAllWindows, requireWindow } from "./list_windows.ts";

const DURING_WINDOW_FIELD = "during_window";

/** Returns the code in a request's `during_window`; undefined if it is empty or the RPC has no such field. */
export function readDuringWindow({ method }: ReadRpc, request: MessageShape<ReadRpc["method"]["input"]>) {
  const field = method.input.fields.find(({ name }) => name === DURING_WINDOW_FIELD);
  const code = field && (request as unknown as Readonly<Record<string, string>>)[field.localName];
  return code === "" ? undefined : code;
}

/** Opens a read session on the topology during a window. @param judge computes the loads after every single loss */
export function openWindowSession(
  session: ReadSession,
  code: string,
  judge: (topology: Topology) => Promise<Topology>,
): ReadSession {
  let made: Promise<Topology> | undefined;
  const topology: ReadSession["topology"] = async (how) => {
    if (how === "recorded") return session.topology(how);
    made ??= findWindowTopology(session, code);
    const during = await made;
    return how === "judged" ? judge(during) : during;
  };
  return { ...session, topology };
}

/** Maximum number of cached topologies. Our choice: a console calls several RPCs about one window. */
const MAX_CACHED_TOPOLOGIES = 4;

const CACHED_TOPOLOGIES = new WeakMap<Topology, Map<string, Topology>>();

/**
 * Returns the topology during one piece of a stored window: the piece that determines the window's verdict. Every reply
 * computed from this topology therefore describes the same time.
 * @throws Refusal for a code that no open window has
 */
async function findWindowTopology(session: ReadSession, code: string): Promise<Topology> {
  const { resource } = await requireWindow(session.reader, DURING_WINDOW_FIELD, code);
  const all = (await readAllWindows(session.reader)).map((stored) => stored.resource);
  const { topology, timeline, timed } = await buildStoredTimeline(session, all);
  const own = timed(resource.code);
  if (own === undefined) {
    const expected = "a window that is PLANNED or BEGUN";
    throw refuse("FIELD_CONFLICT", `Window "${resource.code}" is ${resource.state}: expected ${expected}`, {
      field: DURING_WINDOW_FIELD,
      value: code,
      expected,
    });
  }
  const out = await timeline.findWorstPiece(own);
  const kept = CACHED_TOPOLOGIES.getOrInsertComputed(topology, () => new Map());
  const key = JSON.stringify(out);
  let known = kept.get(key);
  if (known === undefined) {
    const { ground, outage } = (await timeline.getOutage(out)).judged;
    known = buildOutageTopology(ground, outage);
  }
  kept.delete(key);
  kept.set(key, known);
  for (const one of kept.keys()) if (kept.size > MAX_CACHED_TOPOLOGIES) kept.delete(one);
  return known;
}
