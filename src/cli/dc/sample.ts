import { MAX_SAMPLE_RACKS, SAMPLE_RACKS, sampleItems } from "#dc/sample/items.ts";
import type { Talk } from "../talk.ts";
import { writeLines } from "./line_output.ts";
import { usage } from "./words.ts";

/** Writes a sample site as JSON Lines, to a file or to standard output. Cost: the memory of forty racks. */
export async function writeSample(racks: number, file: string | undefined, talk: Talk): Promise<void> {
  const count = await writeLines(file, sampleLines(racks));
  talk.note(`${count} resources`);
}

/** Checks `--racks`. @throws UsageError beyond what a sample may have */
export function sampleSize(racks = SAMPLE_RACKS): number {
  if (racks <= MAX_SAMPLE_RACKS) return racks;
  throw usage(`Wrong value "${racks}" for "--racks": expected at most ${MAX_SAMPLE_RACKS}`);
}

function* sampleLines(racks: number): Generator<string> {
  for (const { kind, item } of sampleItems(racks)) yield `${JSON.stringify({ [kind]: item })}\n`;
}
