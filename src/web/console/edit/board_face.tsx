import type { ComponentChildren } from "preact";
import type { FaceName, RackUnit } from "./rack_cells.ts";

interface BoardFaceProps {
  readonly face: FaceName;
  readonly units: readonly RackUnit[];
  readonly title: ComponentChildren;
  /** Elements that are drawn in the rows of units. */
  readonly children: ComponentChildren;
}

/** One face of a rack as a grid of numbered units, the highest first. */
export function BoardFace({ face, units, title, children }: BoardFaceProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls of a form
    <div class="board-face" role="group" aria-label={face === "front" ? "Front" : "Rear"} data-face={face}>
      <h2>{title}</h2>
      <div class="board-units">
        {units.map(({ u }, row) => (
          <span key={u} class="board-number" style={{ gridRow: row + 1 }}>
            {u}
          </span>
        ))}
        {children}
      </div>
    </div>
  );
}
