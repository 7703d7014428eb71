import { print } from "./print.ts";
import { outputWidth } from "./terminal.ts";
import { wrapText } from "./wrap_text.ts";

/** Writes prose to standard output. A terminal gets it wrapped between words; a file or a pipe gets it unchanged. */
// Apart from print.ts, which every start of the program loads.
export function printText(text: string): void {
  print(wrapText(text, outputWidth()));
}
