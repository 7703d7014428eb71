import type { IconName } from "../../shared/icon.tsx";
import type { State } from "../../shared/state_of_share.ts";

/** One line of the palette: a place to go to, or something to do. */
export interface PaletteOption {
  readonly id: string;
  readonly icon: IconName;
  readonly name: string;
  readonly detail: string;
  readonly state?: State | undefined;
  /** Its address, for a new tab; absent for an action. */
  readonly href?: string;
  readonly run: () => void;
}

export interface PaletteGroup {
  readonly name: string;
  readonly options: readonly PaletteOption[];
  /** How many more there are than are listed. */
  readonly more?: number;
}
