import type { ComponentChildren } from "preact";
import type { FaceName, Unit } from "./rack_cells.ts";

interface BoardFaceProps {
  readonly face: FaceName;
  readonly units: readonly Unit[];
  readonly title: ComponentChildren;
  /** What is drawn in the rows of the units. */
  readonly children: ComponentChildren;
}

/** A face of a rack as a grid of numbered units, the highest first. */
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
