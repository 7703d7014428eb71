import {
  buildSpecGraph,
  formatDotGraph,
  formatMermaidGraph,
  type SpecGraph,
} from "#planner/operations/graph/spec_graph.ts";
import { drawSvgGraph } from "#planner/operations/graph/svg.ts";
import { buildUnreadableField } from "#planner/operations/shared/listing.ts";
import { createFilterTest } from "#planner/operations/shared/spec_filter.ts";
import { loadSpecWorld } from "#planner/operations/shared/world.ts";
import type { Spec } from "#planner/spec/spec.ts";
import { booleanFlag, enumFlag, JSON_FLAG } from "../../args.ts";
import { defineCommand } from "../../command.ts";
import { formatUnreadableCount, printGraph } from "../../output/listing_output.ts";
import { print, printJson } from "../../output/print.ts";
import { createDueTest, FIELD_FILTER_FLAGS, LIST_LIMIT_FLAGS } from "../../spec_filter.ts";

const GRAPH_FORMATS = ["text", "mermaid", "dot", "svg", "json"] as const;

/** Writers of the formats that other programs read. */
const GRAPH_FORMATTERS: Readonly<Record<string, (graph: SpecGraph) => string>> = {
  mermaid: formatMermaidGraph,
  dot: formatDotGraph,
  svg: drawSvgGraph,
};

const { limit: _cuts, ...LIST_FLAGS } = LIST_LIMIT_FLAGS;

export const command = defineCommand({
  meta: { name: "graph", description: "Show open specs and what they wait for, in layers, with the critical path" },
  details:
    "A spec stands one layer behind the last spec that it waits for: its dependencies, its members, or the member before it. The critical path is the longest chain of open specs. Cycles and unknown dependencies are listed. In text, `*` in the column PATH marks the critical path. --json prints `boxes` of `id`, `title`, `status`, `layer`, `order`, `critical`, `in_cycle` and `left_out`, `edges` of `from`, `to`, `kind` (`depends_on`, `member` or `order`), `critical` and `backward`, `layers`, `critical_path`, `cycles`, `unknown` and `unreadable`.",
  args: {
    format: enumFlag(GRAPH_FORMATS, "Output format (default: text)", { alias: "f" }),
    all: booleanFlag("Include completed and cancelled specs, and archived dependencies", { alias: "a" }),
    ...FIELD_FILTER_FLAGS,
    ...LIST_FLAGS,
    json: { ...JSON_FLAG, excludes: ["--format"] },
  },
  examples: {
    "planner graph": "Show open specs in layers",
    "planner graph --format svg > specs.svg": "Draw them",
    "planner graph --label api --format mermaid": "Write the specs of a label for a Markdown file",
  },
  async run({ args: { format: wanted, json, all, status, due, type, label, priority, assignee }, cli }) {
    const format = json ? "json" : (wanted ?? "text");
    const context = await cli.openContext();
    const isDue = createDueTest(due);
    const meets = createFilterTest<Spec>({ types: type, labels: label, priorities: priority, assignees: assignee });
    const [world, archivedIds] = await Promise.all([loadSpecWorld(context), context.specs.listArchivedIds()]);
    const isShown = (spec: Spec): boolean =>
      (status === undefined || world.readiness.matchesFilter(spec, status)) && meets(spec) && isDue(spec);
    const graph = buildSpecGraph({ ...world, archivedIds }, { all: all || status !== undefined, isShown });
    if (format === "json") return printJson({ ...graph, ...buildUnreadableField(world.unreadable) });
    const write = GRAPH_FORMATTERS[format];
    if (write === undefined) return printGraph(cli, graph, world.unreadable);
    print(write(graph));
    if (world.unreadable.length > 0) cli.warn(formatUnreadableCount(world.unreadable).trimEnd());
  },
});
