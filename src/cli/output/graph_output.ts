import type { GraphBox, SpecGraph } from "#planner/operations/graph/spec_graph.ts";
import { createIdShortener } from "#planner/spec/resolve_id.ts";
import type { UnreadableFile } from "#planner/spec/spec.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { listSomeNames } from "#words/names.ts";
import type { Cli } from "../command.ts";
import { formatUnreadableCount, selectStatusStyle } from "./listing_output.ts";
import { sanitizeLine } from "./plain_text.ts";
import { type Column, printTable } from "./table.ts";
import { printText } from "./wrap_text.ts";

/** Maximum number of ids that are printed of a chain or a cycle. */
const MAX_PRINTED_IDS = 50;

/** Maximum number of cycles that are printed. */
const MAX_PRINTED_CYCLES = 20;

/** Prints a graph for people: a row per spec by layer, then the critical path, cycles and unknown ids. */
export function printGraph(cli: Cli, graph: SpecGraph, unreadable: readonly UnreadableFile[]): void {
  const { boxes, critical_path, cycles, unknown } = graph;
  const rows = boxes.toSorted((a, b) => a.layer - b.layer || a.order - b.order);
  printTable(rows, createGraphColumns(graph));
  if (boxes.length === 0) cli.note("No specs");
  const lines = [
    ...(critical_path.length === 0
      ? []
      : [`Critical path (${critical_path.length}): ${formatIds(critical_path).join(", ")}`]),
    ...cycles.slice(0, MAX_PRINTED_CYCLES).map((ids) => `Cycle: ${[...formatIds(ids), ids[0]].join(" -> ")}`),
    ...(cycles.length > MAX_PRINTED_CYCLES ? [`${cycles.length - MAX_PRINTED_CYCLES} more cycles`] : []),
    ...(unknown.length === 0 ? [] : [`Unknown: ${listSomeNames(unknown, MAX_PRINTED_IDS)}`]),
  ];
  printText(lines.map((line) => `${sanitizeLine(line)}\n`).join(""));
  printText(formatUnreadableCount(unreadable));
}

function createGraphColumns({ boxes, edges }: SpecGraph): readonly Column<GraphBox>[] {
  const waits = new Map<string, string[]>(boxes.map(({ id, left_out }) => [id, [...left_out]]));
  for (const { from, to } of edges) waits.get(to)?.push(from);
  const ids = new Set(boxes.flatMap(({ id, left_out }) => [id, ...left_out]).map((id) => id as SpecId));
  const shorten = createIdShortener([...ids]);
  const short = (id: string): string => shorten(id as SpecId);
  return [
    { title: "LAYER", text: ({ layer }) => String(layer + 1), align: "right" },
    { title: "PATH", text: formatPathMark },
    { title: "ID", text: ({ id }) => id, short: ({ id }) => short(id) },
    { title: "STATUS", text: ({ status }) => status, style: ({ status }) => selectStatusStyle(status) },
    { title: "WAITS FOR", text: ({ id }) => (waits.get(id) ?? []).map(short).join(",") || "-", shrinks: true },
    { title: "TITLE", text: ({ title }) => title ?? "(no title)", shrinks: true },
  ];
}

function formatPathMark({ critical, in_cycle }: GraphBox): string {
  if (in_cycle) return "cycle";
  return critical ? "*" : "-";
}

function formatIds(ids: readonly string[]): readonly string[] {
  return [
    ...ids.slice(0, MAX_PRINTED_IDS),
    ...(ids.length > MAX_PRINTED_IDS ? [`(${ids.length - MAX_PRINTED_IDS} more)`] : []),
  ];
}
