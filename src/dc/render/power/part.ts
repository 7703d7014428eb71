import { refName } from "#words/names.ts";
import type { Collapsed, DrawnEdge } from "./collapse.ts";
import type { PowerFailure } from "./failure.ts";
import type { Shown } from "./impact_styles.ts";
import type { Drawn } from "./node_grouper.ts";
import { Node } from "./nodes.ts";
import { shownAs, type Tally, tallyOf } from "./tally.ts";

export interface PowerPart extends Drawn {
  readonly tally: Tally;
  readonly shown: Shown;
  /** The elements inside, outlets left out unless the part is one. */
  readonly nodes: readonly Node[];
}

/** Collects the facts about a drawn node. */
export function partOf(failure: PowerFailure, collapsed: Collapsed, drawn: Drawn): PowerPart {
  const tally = tallyOf(failure, collapsed, drawn);
  const [first] = drawn.members;
  const inside =
    drawn.form === "BOX"
      ? drawn.members.filter((index) => index === first)
      : drawn.members.filter((index) => drawn.form === "CARD" && failure.graph.nodes[index]?.kind !== "OUTLET");
  const nodes = inside.map((index) => new Node(failure, collapsed, index));
  const shown = drawn.form === "BOX" ? (nodes[0]?.impact ?? "LIVE") : shownAs(failure, drawn, tally);
  return { ...drawn, tally, shown, nodes };
}

/** The feed of a single supply, else how many supplies there are. */
export function edgeLabel({ count, dead, via }: DrawnEdge): string {
  const [only] = via;
  if (count === 1) return only === undefined ? "" : refName(only);
  return dead > 0 && dead < count ? `${count} supplies, ${dead} dead` : `${count} supplies`;
}
