import type { IconName } from "../../shared/icon.tsx";

/** One line of the palette: a page to open, or an action. */
export interface PaletteOption {
  readonly id: string;
  readonly icon: IconName;
  readonly name: string;
  readonly detail: string;
  /** URL, so that the page can be opened in a new tab; absent for an action. */
  readonly href?: string;
  readonly run: () => void;
}

export interface PaletteGroup {
  readonly name: string;
  readonly options: readonly PaletteOption[];
  /** Number of further options that are not listed. */
  readonly more?: number;
}
